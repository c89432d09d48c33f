//! Result tables, declared once: the names, types, units and meanings of columns, and the vectors that hold them.

use std::collections::HashMap;

/// The declaration of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// The name in Parquet files and data frames.
    pub name: &'static str,
    /// The unit, empty for counts and labels.
    pub unit: &'static str,
    /// What it means.
    pub doc: &'static str,
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
    texts: Vec<String>,
    codes: HashMap<String, u32>,
}

impl Labels {
    /// The code of `text`, entering it if new.
    pub fn code(&mut self, text: &str) -> Label {
        if let Some(code) = self.codes.get(text) {
            return Label(*code);
        }
        let code = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.codes.insert(text.to_owned(), code);
        Label(code)
    }

    /// All labels, by code.
    pub fn all(&self) -> &[String] {
        &self.texts
    }
}

/// A type that a column can hold.
pub trait Cell: Copy {
    /// How the column stores it.
    type Stored: Clone;
    /// The stored form of one value.
    fn store(self) -> Self::Stored;
    /// The whole column.
    fn column(values: Vec<Self::Stored>) -> ColumnData;
}

macro_rules! cells {
    ($( $type:ty as $stored:ty => $variant:ident, $store:expr; )+) => {$(
        impl Cell for $type {
            type Stored = $stored;
            #[inline]
            fn store(self) -> $stored { let f: fn($type) -> $stored = $store; f(self) }
            fn column(values: Vec<$stored>) -> ColumnData { ColumnData::$variant(values) }
        }
    )+};
}
cells! {
    u32 as u32 => U32, |v| v;
    u64 as u64 => U64, |v| v;
    f64 as f64 => F64, |v| v;
    Option<f64> as f64 => F64, |v| v.unwrap_or(f64::NAN);
    bool as bool => Bool, |v| v;
    Label as u32 => Label, |v| v.0;
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
    /// The dictionary of the label columns.
    pub labels: Vec<String>,
}

/// Declares a table: the row struct users push and the column store behind it.
///
/// ```
/// use dumbbell_core::tables;
/// tables! {
///     /// One row per flow.
///     pub struct FlowRow in Flows as "flows" {
///         /// The flow's number.
///         flow: u32 as "";
///         /// When it started.
///         start: f64 as "s";
///     }
/// }
/// let mut flows = Flows::default();
/// flows.push(FlowRow { flow: 0, start: 1.5 });
/// assert_eq!(flows.into_table(Default::default()).columns.len(), 2);
/// ```
#[macro_export]
macro_rules! tables {
    ($(
        #[doc = $table_doc:literal]
        $vis:vis struct $row:ident in $store:ident as $table:literal {
            $( #[doc = $doc:literal] $field:ident : $type:ty as $unit:literal; )+
        }
    )+) => {$(
        #[doc = $table_doc]
        #[derive(Clone, Copy, PartialEq, Debug, Default)]
        $vis struct $row { $( #[doc = $doc] pub $field: $type, )+ }

        #[doc = concat!("The columns of the table `", $table, "`.")]
        #[derive(Clone, Debug, Default)]
        $vis struct $store { $( #[doc = $doc] pub $field: ::std::vec::Vec<<$type as $crate::table::Cell>::Stored>, )+ }

        impl $store {
            /// The declarations of the columns, in order.
            pub const COLUMNS: &'static [$crate::table::Column] = &[ $( $crate::table::Column {
                name: ::core::stringify!($field), unit: $unit, doc: $doc.trim_ascii() }, )+ ];

            /// Makes room for `rows` more rows.
            pub fn reserve(&mut self, rows: usize) {
                $( self.$field.reserve_exact(rows); )+
            }

            /// Appends a row.
            pub fn push(&mut self, row: $row) {
                $( self.$field.push($crate::table::Cell::store(row.$field)); )+
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
            pub fn into_table(self, labels: $crate::table::Labels) -> $crate::table::Table {
                let values = [ $( <$type as $crate::table::Cell>::column(self.$field) ),+ ];
                $crate::table::Table {
                    name: $table,
                    doc: $table_doc.trim_ascii(),
                    columns: Self::COLUMNS.iter().copied().zip(values).collect(),
                    labels: labels.all().to_vec(),
                }
            }
        }
    )+};
}
