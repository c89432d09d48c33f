//! Result tables, declared once: the names, types, units and meanings of columns, and the vectors that hold them.

use std::collections::HashMap;
use std::sync::Arc;

/// The declaration of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// The name in Parquet files and data frames.
    pub name: &'static str,
    /// The unit, empty for counts and labels.
    pub unit: &'static str,
    /// What its values are: `integer`, `number`, `boolean` or `label`.
    pub kind: &'static str,
    /// What it means.
    pub doc: &'static str,
}

/// The declaration of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// The name: `flows`, `links`.
    pub name: &'static str,
    /// What a row is.
    pub doc: &'static str,
    /// Its columns, in order.
    pub columns: &'static [Column],
}

/// What a table takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The name of the table.
    pub table: &'static str,
    /// Its rows so far.
    pub rows: usize,
    /// Its bytes of memory.
    pub bytes: u64,
}

/// The values of a column.
#[derive(Clone, PartialEq, Debug)]
pub enum ColumnData {
    /// Whole numbers below 2^32.
    U32(Vec<u32>),
    /// Whole numbers.
    U64(Vec<u64>),
    /// Real numbers; not-a-number stands for "no value" and becomes null.
    F64(Vec<f64>),
    /// Truth values.
    Bool(Vec<bool>),
    /// Labels, as codes into the table's dictionary.
    Label(Vec<u32>),
}

/// A code into a table's dictionary of labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Label(pub u32);

/// A dictionary of labels.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    texts: Vec<Arc<str>>,
    codes: HashMap<Arc<str>, u32>,
}

impl Labels {
    /// The code of `text`, entering it if new.
    pub fn code(&mut self, text: &str) -> Label {
        match self.codes.get(text) {
            Some(code) => Label(*code),
            None => self.enter(text.into()),
        }
    }

    /// The code of `text`, of which no copy is made.
    pub fn share(&mut self, text: &Arc<str>) -> Label {
        self.enter(text.clone())
    }

    fn enter(&mut self, text: Arc<str>) -> Label {
        let code = self.codes.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            (self.texts.len() - 1) as u32
        });
        Label(*code)
    }

    /// Makes room for `more` labels.
    pub fn reserve(&mut self, more: usize) {
        self.texts.reserve(more);
        self.codes.reserve(more);
    }

    /// All labels, by code.
    pub fn all(&self) -> &[Arc<str>] {
        &self.texts
    }

    /// The same, for tables to share.
    pub fn into_all(self) -> Arc<[Arc<str>]> {
        self.texts.into()
    }
}

/// A type that a column can hold.
pub trait Cell: Copy {
    /// What the values are to a reader of the table; see [`Column::kind`].
    const KIND: &'static str;
    /// How the column stores it.
    type Stored: Clone;
    /// The stored form of one value.
    fn store(self) -> Self::Stored;
    /// Appends the value of a row.
    #[inline]
    fn put(self, column: &mut Vec<Self::Stored>, _row: usize) {
        column.push(self.store());
    }
    /// Makes room for so many more.
    fn reserve(column: &mut Vec<Self::Stored>, rows: usize) {
        column.reserve_exact(rows);
    }
    /// The whole column, of so many rows.
    fn column(values: Vec<Self::Stored>, rows: usize) -> ColumnData;
}

/// A number that few runs note: a column without any takes no memory while the run goes on.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Noted(pub Option<f64>);

impl Cell for Noted {
    const KIND: &'static str = <Option<f64> as Cell>::KIND;
    type Stored = f64;
    #[inline]
    fn store(self) -> f64 {
        self.0.store()
    }
    #[inline]
    fn put(self, column: &mut Vec<f64>, row: usize) {
        if self.0.is_some() || !column.is_empty() {
            column.resize(row, f64::NAN);
            column.push(self.store());
        }
    }
    fn reserve(column: &mut Vec<f64>, rows: usize) {
        if !column.is_empty() {
            column.reserve_exact(rows);
        }
    }
    fn column(mut values: Vec<f64>, rows: usize) -> ColumnData {
        values.resize(rows, f64::NAN);
        ColumnData::F64(values)
    }
}

macro_rules! cells {
    ($( $kind:literal: $type:ty as $stored:ty => $variant:ident, $store:expr; )+) => {$(
        impl Cell for $type {
            const KIND: &'static str = $kind;
            type Stored = $stored;
            #[inline]
            fn store(self) -> $stored { let f: fn($type) -> $stored = $store; f(self) }
            fn column(values: Vec<$stored>, _rows: usize) -> ColumnData { ColumnData::$variant(values) }
        }
    )+};
}
cells! {
    "integer": u32 as u32 => U32, |v| v;
    "integer": u64 as u64 => U64, |v| v;
    "number": f64 as f64 => F64, |v| v;
    "number": Option<f64> as f64 => F64, |v| v.unwrap_or(f64::NAN);
    "boolean": bool as bool => Bool, |v| v;
    "label": Label as u32 => Label, |v| v.0;
}

/// A finished table, ready to be written.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// The name: `flows`, `links`.
    pub name: &'static str,
    /// What a row is.
    pub doc: &'static str,
    /// Declarations and values, in order; all of one length.
    pub columns: Vec<(Column, ColumnData)>,
    /// The dictionary of the label columns, which the tables of a run share.
    pub labels: Arc<[Arc<str>]>,
}

impl ColumnData {
    /// How many values it holds.
    pub fn len(&self) -> usize {
        match self {
            ColumnData::U32(values) | ColumnData::Label(values) => values.len(),
            ColumnData::U64(values) => values.len(),
            ColumnData::F64(values) => values.len(),
            ColumnData::Bool(values) => values.len(),
        }
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Table {
    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, data)| data.len())
    }
}

/// Declares tables: for each the row struct users push and the column store behind it; and the struct of all of them,
/// with what stands beside the tables. The dictionary of labels, `labels`, has to stand there.
///
/// ```
/// use dumbbell_core::table::Labels;
/// use dumbbell_core::tables;
/// tables! {
///     /// What a run leaves behind.
///     pub struct Results {
///         /// The dictionary.
///         labels: Labels;
///     }
///     /// One row per flow.
///     pub struct FlowRow in Flows as flows {
///         /// The flow's number.
///         flow: u32 as "";
///         /// When it started.
///         start: f64 as "s";
///     }
/// }
/// let mut results = Results::default();
/// results.flows.push(FlowRow { flow: 0, start: 1.5 });
/// assert_eq!(results.into_tables()[0].columns.len(), 2);
/// assert_eq!(Results::TABLES[0].columns[1].unit, "s");
/// ```
#[macro_export]
macro_rules! tables {
    (
        $(#[doc = $all_doc:literal])+
        $all_vis:vis struct $all:ident {
            $( #[doc = $beside_doc:literal] $beside:ident : $beside_type:ty; )+
        }
        $(
            #[doc = $table_doc:literal]
            $vis:vis struct $row:ident in $store:ident as $table:ident {
                $( #[doc = $doc:literal] $field:ident : $type:ty as $unit:literal; )+
            }
        )+
    ) => {
        $(#[doc = $all_doc])+
        #[derive(Clone, Debug, Default)]
        $all_vis struct $all {
            $( #[doc = $table_doc] pub $table: $store, )+
            $( #[doc = $beside_doc] pub $beside: $beside_type, )+
        }

        impl $all {
            /// The declarations of the tables, in order.
            pub const TABLES: &'static [$crate::table::Declaration] = &[ $( $crate::table::Declaration {
                name: ::core::stringify!($table), doc: $table_doc.trim_ascii(), columns: $store::COLUMNS }, )+ ];

            /// The tables, ready to be written, in the order declared.
            pub fn into_tables(self) -> ::std::vec::Vec<$crate::table::Table> {
                let labels = self.labels.into_all();
                ::std::vec![ $( self.$table.into_table(::std::sync::Arc::clone(&labels)) ),+ ]
            }

            /// What each table takes, in the order declared.
            pub fn extents(&self) -> ::std::vec::Vec<$crate::table::Extent> {
                ::std::vec![ $( $crate::table::Extent { table: ::core::stringify!($table),
                    rows: self.$table.rows(), bytes: self.$table.bytes() } ),+ ]
            }
        }

        $(
        #[doc = $table_doc]
        #[derive(Clone, Copy, PartialEq, Debug, Default)]
        $vis struct $row { $( #[doc = $doc] pub $field: $type, )+ }

        #[doc = concat!("The columns of the table `", ::core::stringify!($table), "`.")]
        #[derive(Clone, Debug, Default)]
        $vis struct $store { $( #[doc = $doc] pub $field: ::std::vec::Vec<<$type as $crate::table::Cell>::Stored>, )+ }

        impl $store {
            /// The declarations of the columns, in order.
            pub const COLUMNS: &'static [$crate::table::Column] = &[ $( $crate::table::Column {
                name: ::core::stringify!($field), unit: $unit, kind: <$type as $crate::table::Cell>::KIND,
                doc: $doc.trim_ascii() }, )+ ];

            /// Makes room for `rows` more rows.
            pub fn reserve(&mut self, rows: usize) {
                $( <$type as $crate::table::Cell>::reserve(&mut self.$field, rows); )+
            }

            /// Appends a row.
            pub fn push(&mut self, row: $row) {
                let at = self.rows();
                $( $crate::table::Cell::put(row.$field, &mut self.$field, at); )+
            }

            /// Puts the rows in another order, a column at a time: by place, the row that comes there.
            pub fn reorder(&mut self, order: &[u32]) {
                $( {
                    let column = ::std::mem::take(&mut self.$field);
                    if !column.is_empty() {
                        self.$field = order.iter().map(|row| column[*row as usize].clone()).collect();
                    }
                } )+
            }

            /// Rows so far.
            pub fn rows(&self) -> usize {
                [ $( self.$field.len() ),+ ][0]
            }

            /// Bytes of memory.
            pub fn bytes(&self) -> u64 {
                [ $( $crate::memory::of_vec(&self.$field) ),+ ].iter().sum()
            }

            /// The finished table.
            pub fn into_table(
                self,
                labels: ::std::sync::Arc<[::std::sync::Arc<str>]>,
            ) -> $crate::table::Table {
                let rows = self.rows();
                let values = [ $( <$type as $crate::table::Cell>::column(self.$field, rows) ),+ ];
                $crate::table::Table {
                    name: ::core::stringify!($table),
                    doc: $table_doc.trim_ascii(),
                    columns: Self::COLUMNS.iter().copied().zip(values).collect(),
                    labels,
                }
            }
        }
        )+
    };
}

/// One of the names that stand in a column of labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Named {
    /// The name.
    pub name: &'static str,
    /// What it means.
    pub doc: &'static str,
}

/// Declares an enumeration whose members stand by their names in a column of labels.
///
/// ```
/// dumbbell_core::labels! {
///     /// What a port is doing.
///     pub enum State {
///         /// Transmitting.
///         Busy = "busy",
///         /// Awake with nothing to send.
///         Idle = "idle",
///     }
/// }
/// assert_eq!(State::named("idle"), Some(State::Idle));
/// assert_eq!(State::NAMES[State::Busy as usize].doc, "Transmitting.");
/// ```
#[macro_export]
macro_rules! labels {
    (
        $(#[doc = $doc:literal])+
        $vis:vis enum $name:ident { $( $(#[doc = $member_doc:literal])+ $member:ident = $label:literal ),+ $(,)? }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        $vis enum $name { $( $(#[doc = $member_doc])+ $member ),+ }

        impl $name {
            /// Every member, in the order of their codes.
            pub const ALL: [$name; Self::NAMES.len()] = [ $( $name::$member ),+ ];

            /// Their names and meanings, in the same order.
            pub const NAMES: &'static [$crate::table::Named] = &[ $( $crate::table::Named {
                name: $label, doc: ::core::concat!($($member_doc),+).trim_ascii() } ),+ ];

            /// The name in tables and reports.
            pub const fn name(self) -> &'static str {
                Self::NAMES[self as usize].name
            }

            /// The member of that name.
            pub fn named(name: &str) -> ::core::option::Option<$name> {
                Self::ALL.into_iter().find(|member| member.name() == name)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::{ColumnData, Noted, Table};
    use crate::results::{FlowRow, Flows};

    fn medians(table: Table) -> Vec<f64> {
        match table.columns.into_iter().find(|(column, _)| column.name == "delay_p50") {
            Some((_, ColumnData::F64(values))) => values,
            _ => panic!("the column has numbers"),
        }
    }

    #[test]
    fn a_column_of_what_is_noted_takes_room_from_its_first_value_on() {
        let row = |noted| FlowRow { delay_p50: Noted(noted), ..FlowRow::default() };
        let mut flows = Flows::default();
        flows.reserve(100);
        flows.push(row(None));
        flows.reorder(&[0]);
        assert_eq!((flows.rows(), flows.delay_p50.capacity()), (1, 0));
        let none = medians(flows.clone().into_table([].into()));
        assert!(none.len() == 1 && none[0].is_nan());
        flows.push(row(Some(3.0)));
        flows.push(row(None));
        flows.reorder(&[1, 0, 2]);
        let some = medians(flows.into_table([].into()));
        assert!(some[0] == 3.0 && some[1].is_nan() && some[2].is_nan() && some.len() == 3);
    }
}
