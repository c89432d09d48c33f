//! What a metric amounts to in a run: from result tables to one number. The numbers are NumPy's to the last bit.

use dumbbell_core::statistics::{quantile, sum};
use dumbbell_core::table::{ColumnData, Table};

use crate::source::{
    FromClasses, FromDrops, FromFlows, FromLinks, FromRuns, FromTransfers, Source, Statistic,
};

impl Source {
    /// The number that a run gives, in the unit of the metric; not-a-number if it gives none.
    ///
    /// Functions, and the states of ports with their power models, are evaluated in Python: absent.
    ///
    /// # Panics
    /// If the tables are not those of a run.
    pub fn evaluate(&self, tables: &[Table]) -> Option<f64> {
        Some(match self {
            Source::Runs(FromRuns { column, factor }) => of(tables, "runs").number(&column.0, 0) * factor,
            Source::Links(FromLinks { column, link, factor }) => {
                let links = of(tables, "links");
                let row = links.row("link", &link.0);
                row.map_or(f64::NAN, |row| links.number(&column.0, row) * factor)
            }
            Source::Flows(FromFlows { column, group, statistic, counted, factor }) => {
                statistic.of(of(tables, "flows").present(&column.0, group.as_deref(), *counted)) * factor
            }
            Source::Transfers(FromTransfers { column, group, statistic, counted, factor }) => {
                statistic.of(of(tables, "transfers").present(&column.0, group.as_deref(), *counted)) * factor
            }
            Source::Classes(source) => of_classes(source, tables) * source.factor,
            Source::Drops(source) => source.statistic.of(dropped(source, tables)) * source.factor,
            Source::States(_) | Source::Function(_) => return None,
        })
    }
}

impl Statistic {
    /// The number that stands for many, of which each is one.
    fn of(self, values: Vec<f64>) -> f64 {
        let none = values.is_empty();
        match self {
            Statistic::Count => values.len() as f64,
            Statistic::Sum if none => 0.0,
            _ if none => f64::NAN,
            Statistic::Sum => sum(&values),
            Statistic::Mean => sum(&values) / values.len() as f64,
            Statistic::Min => values.into_iter().fold(f64::INFINITY, f64::min),
            Statistic::Max => values.into_iter().fold(f64::NEG_INFINITY, f64::max),
            Statistic::P50 => ranked(values, 0.5),
            Statistic::P90 => ranked(values, 0.9),
            Statistic::P95 => ranked(values, 0.95),
            Statistic::P99 => ranked(values, 0.99),
        }
    }
}

fn ranked(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    quantile(&values, share)
}

/// The sum over classes of a link; not-a-number where the link tells no classes apart.
fn of_classes(source: &FromClasses, tables: &[Table]) -> f64 {
    let classes = of(tables, "classes");
    let (here, class) = (classes.labelled("link", &source.link.0), classes.column("class"));
    let wanted =
        |row: &usize| here(*row) && source.class.is_none_or(|wanted| whole(class, *row) == u64::from(wanted));
    let rows: Vec<usize> = (0..classes.0.rows()).filter(wanted).collect();
    if rows.is_empty() {
        return f64::NAN;
    }
    match classes.column(&source.column.0) {
        ColumnData::F64(values) => sum(&rows.iter().map(|row| values[*row]).collect::<Vec<_>>()),
        counts => rows.iter().map(|row| whole(counts, *row)).sum::<u64>() as f64,
    }
}

/// The values of a column, of the packets dropped that are asked for.
fn dropped(source: &FromDrops, tables: &[Table]) -> Vec<f64> {
    let (drops, links) = (of(tables, "drops"), of(tables, "links"));
    let (link, class) = (drops.column("link"), drops.column("class"));
    // A link that the run does not have has dropped nothing.
    let at = source.link.as_ref().map(|wanted| links.row("link", &wanted.0).unwrap_or(usize::MAX) as u64);
    let reason = source.reason.map(|wanted| drops.labelled("reason", wanted.0.name()));
    let wanted = |row: &usize| {
        at.is_none_or(|at| whole(link, *row) == at)
            && source.class.is_none_or(|wanted| whole(class, *row) == u64::from(wanted))
            && reason.as_ref().is_none_or(|reason| reason(*row))
    };
    (0..drops.0.rows()).filter(wanted).map(|row| drops.number(&source.column.0, row)).collect()
}

/// A table of a run.
struct Of<'a>(&'a Table);

fn of<'a>(tables: &'a [Table], name: &str) -> Of<'a> {
    Of(tables.iter().find(|table| table.name == name).expect("a run leaves every table behind"))
}

impl<'a> Of<'a> {
    fn column(&self, name: &str) -> &'a ColumnData {
        let found = self.0.columns.iter().find(|(column, _)| column.name == name);
        &found.expect("the source was read against the declarations").1
    }

    fn number(&self, column: &str, row: usize) -> f64 {
        number(self.column(column), row)
    }

    /// Whether a row has a label in a column.
    fn labelled(&self, column: &str, label: &str) -> impl Fn(usize) -> bool + use<'a> {
        let ColumnData::Label(codes) = self.column(column) else { panic!("{column} holds labels") };
        let wanted = self.0.labels.iter().position(|known| **known == *label);
        move |row| Some(codes[row] as usize) == wanted
    }

    /// The first row with a label in a column.
    fn row(&self, column: &str, label: &str) -> Option<usize> {
        let here = self.labelled(column, label);
        (0..self.0.rows()).find(|row| here(*row))
    }

    /// The values of a column, of those flows or transfers that have one: of a group, and not those of the warm-up if only
    /// the others are `counted`.
    fn present(&self, column: &str, group: Option<&str>, counted: bool) -> Vec<f64> {
        let values = self.column(column);
        let group = group.map(|name| self.labelled("group", name));
        let flags = self.column("counted");
        (0..self.0.rows())
            .filter(|row| !counted || whole(flags, *row) == 1)
            .filter(|row| group.as_ref().is_none_or(|group| group(*row)))
            .map(|row| number(values, row))
            .filter(|value| !value.is_nan())
            .collect()
    }
}

fn number(data: &ColumnData, row: usize) -> f64 {
    match data {
        ColumnData::F64(values) => values[row],
        counts => whole(counts, row) as f64,
    }
}

/// A value of a column of whole numbers, of truth values or of labels.
fn whole(data: &ColumnData, row: usize) -> u64 {
    match data {
        ColumnData::U32(values) | ColumnData::Label(values) => u64::from(values[row]),
        ColumnData::U64(values) => values[row],
        ColumnData::Bool(values) => u64::from(values[row]),
        ColumnData::F64(_) => panic!("a column of counts holds no real numbers"),
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::config::At;
    use dumbbell_core::{Config, Results, Value};

    use super::*;

    #[test]
    fn many_numbers_amount_to_one_and_none_to_none() {
        let expected = [
            (Statistic::Mean, 2.5),
            (Statistic::Sum, 10.0),
            (Statistic::Count, 4.0),
            (Statistic::Min, 1.0),
            (Statistic::Max, 4.0),
            (Statistic::P50, 2.5),
            (Statistic::P90, 3.7),
            (Statistic::P95, 3.85),
            (Statistic::P99, 3.97),
        ];
        for (statistic, number) in expected {
            let of_four = statistic.of(vec![4.0, 1.0, 3.0, 2.0]);
            assert!((of_four - number).abs() < 1e-12, "{statistic:?}: {of_four}");
            let of_none = statistic.of(Vec::new());
            let counts = matches!(statistic, Statistic::Sum | Statistic::Count);
            assert!(
                if counts { of_none.to_bits() == 0 } else { of_none.is_nan() },
                "{statistic:?}: {of_none}"
            );
        }
    }

    #[test]
    fn what_a_run_does_not_have_has_no_number() {
        let tables = Results::default().into_tables();
        let link = |table: &str| format!(r#"{{ table = "{table}", link = "nowhere", column = "dropped" }}"#);
        for text in [link("links"), link("classes")] {
            assert!(read(&text).evaluate(&tables).is_some_and(f64::is_nan), "{text}");
        }
        let drops = r#"{ table = "drops", link = "nowhere", column = "time", statistic = "count" }"#;
        assert_eq!(read(drops).evaluate(&tables), Some(0.0));
        let states = r#"{ table = "states", link = "nowhere", statistic = "saving" }"#;
        assert_eq!(read(states).evaluate(&tables), None, "Python's");
    }

    fn read(text: &str) -> Source {
        let table: Value = toml::from_str(&format!("source = {text}")).expect("TOML");
        Source::from_value(table.get("source").expect("it is there"), &At::root("source")).expect("a source")
    }
}
