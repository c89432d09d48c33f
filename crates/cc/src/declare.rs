//! Declares structs and numbers once for Rust and for C.

/// A type of a field, as C names it.
pub(crate) trait CType {
    /// The name.
    const NAME: &'static str;
    /// What follows the name of the field.
    const SUFFIX: &'static str = "";
}

macro_rules! c_types {
    ( $( $rust:ty: $name:literal $( $suffix:literal )?; )+ ) => {
        $( impl CType for $rust {
            const NAME: &'static str = $name;
            $( const SUFFIX: &'static str = $suffix; )?
        } )+
    };
}

c_types! {
    u64: "uint64_t";
    i64: "int64_t";
    u32: "uint32_t";
    bool: "bool";
    [u8; 3]: "uint8_t" "[3]";
    crate::Time: "uint64_t";
    crate::Duration: "uint64_t";
    crate::Rate: "uint64_t";
}

/// A field of a struct.
pub(crate) struct Field {
    pub doc: &'static [&'static str],
    pub kind: &'static str,
    pub name: &'static str,
    pub suffix: &'static str,
    pub offset: usize,
    pub size: usize,
}

/// A struct.
pub(crate) struct Struct {
    pub doc: &'static [&'static str],
    pub name: &'static str,
    pub size: usize,
    pub fields: &'static [Field],
}

/// A list of numbers with names.
pub(crate) struct Numbers {
    pub doc: &'static [&'static str],
    pub name: &'static str,
    pub members: &'static [(&'static str, u32, &'static [&'static str])],
}

/// Declares a struct that C has too.
macro_rules! c_struct {
    (
        $(#[doc = $doc:literal])+
        $(#[derive( $( $derived:ident ),+ )])?
        pub struct $name:ident as $c:literal {
            $( $(#[doc = $field_doc:literal])+ pub $field:ident: $kind:ty, )+
        }
    ) => {
        $(#[doc = $doc])+
        $(#[derive( $( $derived ),+ )])?
        #[repr(C)]
        pub struct $name {
            $( $(#[doc = $field_doc])+ pub $field: $kind, )+
        }

        impl $name {
            /// The struct as C has it.
            pub(crate) const DECLARED: crate::declare::Struct = crate::declare::Struct {
                doc: &[$( $doc ),+],
                name: $c,
                size: size_of::<$name>(),
                fields: &[ $( crate::declare::Field {
                    doc: &[$( $field_doc ),+],
                    kind: <$kind as crate::declare::CType>::NAME,
                    name: stringify!($field),
                    suffix: <$kind as crate::declare::CType>::SUFFIX,
                    offset: core::mem::offset_of!($name, $field),
                    size: size_of::<$kind>(),
                } ),+ ],
            };
        }
    };
}

/// Declares a list of numbers that C has too: names for Rust, names for C.
macro_rules! c_enum {
    (
        $(#[doc = $doc:literal])+
        pub enum $name:ident as $c:literal {
            $( $(#[doc = $member_doc:literal])+ $member:ident = $number:literal as $c_name:literal, )+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum $name {
            $( $(#[doc = $member_doc])+ $member = $number, )+
        }

        impl $name {
            /// All, in order.
            pub const ALL: &'static [$name] = &[ $( $name::$member ),+ ];

            /// The one with a number.
            pub const fn of(number: u8) -> Option<$name> {
                match number {
                    $( $number => Some($name::$member), )+
                    _ => None,
                }
            }

            /// The numbers as C has them.
            pub(crate) const DECLARED: crate::declare::Numbers = crate::declare::Numbers {
                doc: &[$( $doc ),+],
                name: $c,
                members: &[ $( ($c_name, $number, &[$( $member_doc ),+]) ),+ ],
            };
        }
    };
}

pub(crate) use {c_enum, c_struct};
