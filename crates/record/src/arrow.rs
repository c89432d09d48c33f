//! Tables as Arrow record batches. Numbers are moved, not copied.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, RecordBatch, StringArray, UInt32Array,
    UInt64Array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, Field, Schema};
use dumbbell_core::table::{Column, ColumnData, Declaration, Labels, Table};

/// The table as one record batch.
///
/// Whole numbers and truth values are never null. Real numbers are nullable, and null where the table holds
/// not-a-number. Labels are `Dictionary(UInt32, Utf8)`; the dictionary of a column holds the labels that occur in
/// it, in order of first occurrence.
pub fn to_arrow(table: Table) -> RecordBatch {
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = table
        .columns
        .into_iter()
        .map(|(column, data)| {
            let nullable = matches!(data, ColumnData::F64(_));
            let array = array(data, &table.labels);
            (field(column, array.data_type().clone(), nullable), array)
        })
        .unzip();
    let about = HashMap::from([("table".into(), table.name.into()), ("doc".into(), table.doc.into())]);
    let schema = Schema::new_with_metadata(fields, about);
    RecordBatch::try_new(Arc::new(schema), arrays).expect("the columns of a table have one length")
}

fn field(column: Column, data_type: DataType, nullable: bool) -> Field {
    let about = HashMap::from([("unit".into(), column.unit.into()), ("doc".into(), column.doc.into())]);
    Field::new(column.name, data_type, nullable).with_metadata(about)
}

fn array(data: ColumnData, labels: &[Arc<str>]) -> ArrayRef {
    match data {
        ColumnData::U32(values) => Arc::new(UInt32Array::from(values)),
        ColumnData::U64(values) => Arc::new(UInt64Array::from(values)),
        ColumnData::F64(values) => {
            let valid = BooleanBuffer::collect_bool(values.len(), |i| !values[i].is_nan());
            let nulls = Some(NullBuffer::new(valid)).filter(|n| n.null_count() > 0);
            Arc::new(Float64Array::new(values.into(), nulls))
        }
        ColumnData::Bool(values) => Arc::new(BooleanArray::from(values)),
        ColumnData::Label(codes) => Arc::new(dictionary(codes, labels)),
    }
}

fn dictionary(mut codes: Vec<u32>, labels: &[Arc<str>]) -> DictionaryArray<UInt32Type> {
    let used = renumber(&mut codes, labels);
    DictionaryArray::new(UInt32Array::from(codes), Arc::new(StringArray::from(used)))
}

/// The table that a record batch was made of, read back or not: its labels may be numbered in another order.
///
/// # Panics
/// If the batch lacks a column of the declaration, or has one of another type.
pub fn from_arrow(batch: &RecordBatch, declared: &Declaration) -> Table {
    let mut labels = Labels::default();
    let columns = declared.columns.iter().map(|column| {
        let array = batch.column_by_name(column.name).expect("a table has the columns of its declaration");
        (*column, data(array.as_ref(), &mut labels))
    });
    let columns = columns.collect();
    Table { name: declared.name, doc: declared.doc, columns, labels: labels.into_all() }
}

fn data(array: &dyn Array, labels: &mut Labels) -> ColumnData {
    match array.data_type() {
        DataType::UInt32 => ColumnData::U32(array.as_primitive::<UInt32Type>().values().to_vec()),
        DataType::UInt64 => ColumnData::U64(array.as_primitive::<UInt64Type>().values().to_vec()),
        DataType::Boolean => ColumnData::Bool(array.as_boolean().values().iter().collect()),
        DataType::Float64 => {
            let values = array.as_primitive::<Float64Type>().iter();
            ColumnData::F64(values.map(|value| value.unwrap_or(f64::NAN)).collect())
        }
        _ => {
            let dictionary = array.as_dictionary::<UInt32Type>();
            let texts = dictionary.values().as_string::<i32>();
            let code = |key: &u32| labels.code(texts.value(*key as usize)).0;
            ColumnData::Label(dictionary.keys().values().iter().map(code).collect())
        }
    }
}

/// Makes the codes of a column count only the labels that occur, in order of first occurrence, and returns these: the
/// tables of a run share one dictionary, and a reader who lists the categories of `metric` does not expect the names of
/// links among them.
pub fn renumber<'a>(codes: &mut [u32], labels: &'a [Arc<str>]) -> Vec<&'a str> {
    let mut renumbered: Vec<Option<u32>> = vec![None; labels.len()];
    let mut used = Vec::new();
    for code in codes {
        *code = *renumbered[*code as usize].get_or_insert_with(|| {
            used.push(&*labels[*code as usize]);
            (used.len() - 1) as u32
        });
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let column = |name, unit| Column { name, unit, kind: "number", doc: "meaning" };
        Table {
            name: "flows",
            doc: "One row per flow.",
            columns: vec![
                (column("flow", ""), ColumnData::U32(vec![0, 1, 2])),
                (column("size", "B"), ColumnData::F64(vec![1.5, f64::NAN, f64::INFINITY])),
                (column("counted", ""), ColumnData::Bool(vec![true, false, true])),
                (column("group", ""), ColumnData::Label(vec![3, 1, 3])),
            ],
            labels: ["never", "web", "not here", "bulk"].map(Arc::from).into(),
        }
    }

    #[test]
    fn not_a_number_becomes_null_and_infinity_does_not() {
        let batch = to_arrow(table());
        let size = batch.column(1).as_primitive::<Float64Type>();
        assert_eq!((size.null_count(), size.is_null(1), size.value(2)), (1, true, f64::INFINITY));
        assert!(batch.schema().field(1).is_nullable() && !batch.schema().field(0).is_nullable());
    }

    #[test]
    fn dictionaries_hold_labels_in_order_of_occurrence() {
        let batch = to_arrow(table());
        let group = batch.column(3).as_dictionary::<UInt32Type>();
        let values: Vec<_> = group.values().as_string::<i32>().iter().flatten().collect();
        assert_eq!(values, ["bulk", "web"]);
        assert_eq!(group.keys().values(), &[0, 1, 0]);
    }

    #[test]
    fn a_table_comes_back_from_its_batch() {
        let before = table();
        let columns: Vec<Column> = before.columns.iter().map(|(column, _)| *column).collect();
        let declared = Declaration { name: before.name, doc: before.doc, columns: columns.leak() };
        let after = from_arrow(&to_arrow(before), &declared);
        assert_eq!(after.labels[..], ["bulk", "web"].map(Arc::from));
        let data: Vec<ColumnData> = after.columns.into_iter().map(|(_, data)| data).collect();
        assert_eq!(data[0], ColumnData::U32(vec![0, 1, 2]));
        assert!(
            matches!(&data[1], ColumnData::F64(v) if v[0] == 1.5 && v[1].is_nan() && v[2] == f64::INFINITY)
        );
        assert_eq!(data[2..], [ColumnData::Bool(vec![true, false, true]), ColumnData::Label(vec![0, 1, 0])]);
    }

    #[test]
    fn units_and_meanings_stand_in_the_metadata() {
        let schema = to_arrow(table()).schema();
        assert_eq!(schema.field(1).metadata()["unit"], "B");
        assert_eq!(schema.field(1).metadata()["doc"], "meaning");
        assert_eq!(schema.metadata()["table"], "flows");
    }

    #[test]
    fn real_numbers_are_moved_not_copied() {
        let values = vec![1.0, 2.0];
        let address = values.as_ptr();
        let array = array(ColumnData::F64(values), &[]);
        assert_eq!(array.as_primitive::<Float64Type>().values().as_ptr(), address);
    }
}
