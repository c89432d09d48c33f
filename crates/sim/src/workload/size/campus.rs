//! Sizes of TCP flows measured at a campus edge: a mixture of eight lognormal distributions, cut to what a run can hold.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Validate, config};

use super::lognormal::Mixture;
use super::{SizeParams, Sizes};
use crate::files::Files;

/// Fit to the TCP flows of 30 days of NetFlow at AGH Krakow, June 2015: weight, standard deviation of the logarithm,
/// median in bytes. Jurkiewicz, Rzym & Borylo, arXiv 1809.03486; data of github piotrjurkiewicz/flow-models, agh_2015.
const AGH_2015_TCP: [(f64, f64, f64); 8] = [
    (0.356_215_68, 0.390_723_04, 97.448_627),
    (0.245_961_53, 0.809_056_27, 309.396_443),
    (0.299_368_68, 1.076_764_67, 2_126.654_43),
    (0.080_649_98, 1.308_259_33, 25_680.662_1),
    (0.015_038_56, 1.351_326_89, 416_680.996),
    (0.002_074_71, 1.082_474_78, 5_602_171.64),
    (0.000_682_628, 1.019_113_83, 53_432_349.3),
    (0.000_008_232_71, 1.190_467_74, 514_468_039.0),
];

const REFERENCE: &str = "Jurkiewicz, Rzym & Borylo, arXiv 1809.03486 (TCP flows, AGH 2015)";

/// Declares one cut of the measured distribution.
macro_rules! campus {
    ($(#[doc = $doc:literal])* $params:ident, $name:literal, $title:literal, $min:literal, $max:literal) => {
        config! {
            $(#[doc = $doc])*
            pub struct $params {}
        }

        impl Algorithm for $params {
            const NAME: &'static str = $name;
            const TITLE: &'static str = $title;
            const REFERENCE: &'static str = REFERENCE;
        }

        impl Validate for $params {}

        impl SizeParams for $params {
            fn build(&self, _files: &mut Files, _at: &At<'_>) -> Result<Sizes, ConfigError> {
                Ok(Sizes::new(Mixture::new(&AGH_2015_TCP, ($min, $max))))
            }
        }
    };
}

campus!(
    /// TCP flows at a campus edge, 512 B to 1 MB: mean 22.3 kB, coefficient of variation 3.6. Without the requests and
    /// streams of acknowledgements below 512 B, which NetFlow counts as flows of their own.
    CampusWeb,
    "campus-web",
    "TCP flows at a campus edge, 512 B to 1 MB",
    512.0,
    1e6
);
campus!(
    /// TCP flows at a campus edge, 1 B to 10 MB: mean 25.7 kB, coefficient of variation 10.6.
    Campus10M,
    "campus-10M",
    "TCP flows at a campus edge, 1 B to 10 MB",
    1.0,
    1e7
);
campus!(
    /// TCP flows at a campus edge, 512 B to 10 MB: mean 58.8 kB, coefficient of variation 7.0.
    CampusWeb10M,
    "campus-web-10M",
    "TCP flows at a campus edge, 512 B to 10 MB",
    512.0,
    1e7
);
