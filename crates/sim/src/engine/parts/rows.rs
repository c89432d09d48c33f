//! Rows that events write: drops, states and estimates of controllers. Each part notes the event of every row. Merged by these events
//! they are in the order in which one loop writes them, and so are the labels that they enter.

use dumbbell_core::results::{ControllerStateRow, DropRow, EstimateRow, Results};
use dumbbell_core::table::{Label, Labels};

use super::ends::Place;
use crate::engine::share::Rows;

/// The rows that a part has written.
#[derive(Debug, Default)]
pub struct Written {
    /// The event of each row, its table, and its place there, in the order in which they were written.
    rows: Vec<(Place, Rows, u32)>,
    /// Rows noted of each table.
    noted: [u32; 3],
}

impl Written {
    /// The event at a place has added to a table, which has so many rows now.
    pub fn add(&mut self, at: Place, table: Rows, rows: usize) {
        let noted = &mut self.noted[table as usize];
        self.rows.extend((*noted..rows as u32).map(|row| (at, table, row)));
        *noted = rows as u32;
    }
}

/// What a part has written, with its labels.
#[derive(Default)]
pub struct Sheet {
    written: Written,
    results: Results,
}

impl Sheet {
    /// Takes the rows from the results of a part. Labels beyond the first `known` are those that rows have entered.
    pub fn take(written: &mut Written, results: &mut Results, known: usize) -> Sheet {
        let taken = Results {
            drops: std::mem::take(&mut results.drops),
            controller_states: std::mem::take(&mut results.controller_states),
            estimates: std::mem::take(&mut results.estimates),
            labels: results.labels.clone(),
            ..Results::default()
        };
        let mut labels = Labels::default();
        labels.reserve(known);
        results.labels.all()[..known].iter().for_each(|text| {
            labels.share(text);
        });
        results.labels = labels;
        Sheet { written: std::mem::take(written), results: taken }
    }
}

/// Writes the rows of all parts in the order of their events.
pub fn merge(sheets: &[Sheet], into: &mut Results) {
    let of =
        |(sheet, part): (usize, &Sheet)| part.written.rows.iter().map(move |row| (sheet, *row)).collect();
    let mut rows: Vec<(usize, (Place, Rows, u32))> =
        sheets.iter().enumerate().flat_map(|part| -> Vec<_> { of(part) }).collect();
    // Rows of one event are of one part, and stay in their order.
    rows.sort_by_key(|(_, (place, ..))| *place);
    for (sheet, (_, table, row)) in rows {
        sheets[sheet].copy(table, row as usize, into);
    }
}

impl Sheet {
    fn copy(&self, table: Rows, i: usize, into: &mut Results) {
        let texts = self.results.labels.all();
        match table {
            Rows::Drops => {
                let drops = &self.results.drops;
                let reason = into.label(&texts[drops.reason[i] as usize]);
                into.drops.push(DropRow {
                    time: drops.time[i],
                    link: drops.link[i],
                    flow: drops.flow[i],
                    class: drops.class[i],
                    size: drops.size[i],
                    reason,
                });
            }
            Rows::States => {
                let states = &self.results.controller_states;
                let [previous, state, reason]: [Label; 3] =
                    [states.previous[i], states.state[i], states.reason[i]]
                        .map(|code| into.label(&texts[code as usize]));
                let (time, flow) = (states.time[i], states.flow[i]);
                into.controller_states.push(ControllerStateRow { time, flow, previous, state, reason });
            }
            Rows::Estimates => {
                let rows = &self.results.estimates;
                let [estimate, unit] =
                    [rows.estimate[i], rows.unit[i]].map(|code| into.label(&texts[code as usize]));
                into.estimates.push(EstimateRow {
                    time: rows.time[i],
                    flow: rows.flow[i],
                    round: rows.round[i],
                    estimate,
                    value: Some(rows.value[i]).filter(|value| value.is_finite()),
                    unit,
                });
            }
        }
    }
}
