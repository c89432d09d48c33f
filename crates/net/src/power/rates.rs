//! The rates of a port: listed, or a grid below the link's rate.

use dumbbell_core::config::{At, Config, ConfigError, Field, Fields};
use dumbbell_core::json::json;
use dumbbell_core::{BitRate, Validate, Value, config, json, words};

/// More levels than any hardware has; the account of pauses grows with their square.
const MAX_LEVELS: usize = 256;

words! {
    /// How the levels of a grid lie.
    pub enum Spacing {
        /// At equal distances, the lowest one distance above zero.
        Uniform = "uniform",
        /// At equal ratios.
        Exponential = "exponential",
    }
}

config! {
    /// The rates of a port by rule; the highest is the link's.
    pub struct Grid {
        /// Number of rates.
        levels: u32 as "rates" = 10, "Panarello et al., e-Energy 2012, section 3";
        /// `uniform`: rate k of n is k/n of the link's rate; `exponential`: each is `ratio` times the one below.
        spacing: Spacing = "uniform", "Panarello et al., e-Energy 2012, section 3";
        /// Ratio of an exponential grid.
        ratio: f64 as "dimensionless" = 2.0, "choice: octaves, as clock dividers give";
    }
}

impl Validate for Grid {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if !(1..=MAX_LEVELS).contains(&(self.levels as usize)) {
            return Err(at
                .key("levels")
                .error(format!("{} levels", self.levels), format!("give 1 to {MAX_LEVELS}")));
        }
        if self.ratio <= 1.0 {
            return Err(at
                .key("ratio")
                .error(format!("a ratio of {} does not rise", self.ratio), "give more than 1"));
        }
        Ok(())
    }
}

/// The rates of a port.
#[derive(Clone, PartialEq, Debug)]
pub enum Rates {
    /// As listed, in any order.
    List(Vec<BitRate>),
    /// By rule.
    Grid(Grid),
}

/// The default of a field of rates.
pub(super) fn ten_levels() -> Value {
    Value::Table(vec![("levels".to_owned(), Value::from(10))])
}

impl Config for Rates {
    const KIND: &'static str = "list of rates or table";

    fn from_value(v: &Value, at: &At<'_>) -> Result<Rates, ConfigError> {
        if let Value::Table(_) = v {
            return Grid::from_value(v, at).map(Rates::Grid);
        }
        let Value::List(_) = v else {
            return Err(at.error(
                format!("{} stands where rates are needed", v.kind()),
                "write a list such as [\"1Mbit/s\", \"10Mbit/s\"], or a grid such as { levels = 10 }",
            ));
        };
        let list: Vec<BitRate> = Vec::from_value(v, at)?;
        if !(1..=MAX_LEVELS).contains(&list.len()) {
            return Err(at.error(format!("{} rates", list.len()), format!("list 1 to {MAX_LEVELS}")));
        }
        match (1..list.len()).find(|i| list[..*i].contains(&list[*i])) {
            Some(i) => Err(at.index(i).error(format!("{} stands there twice", list[i]), "list it once")),
            None => Ok(Rates::List(list)),
        }
    }

    fn to_value(&self) -> Value {
        match self {
            Rates::List(list) => list.to_value(),
            Rates::Grid(grid) => grid.to_value(),
        }
    }

    fn schema() -> json::Value {
        json!({"anyOf": [Vec::<BitRate>::schema(), Grid::schema()]})
    }

    fn nested() -> Vec<Field> {
        Grid::fields()
    }
}

impl Rates {
    /// The rates of a port of a link of rate `link`, in bits per second, lowest first.
    pub fn levels(&self, link: BitRate) -> Vec<BitRate> {
        let top = link.as_bps() as f64;
        let mut levels: Vec<BitRate> = match self {
            Rates::List(list) => list.clone(),
            Rates::Grid(grid) => (1..=grid.levels)
                .map(|k| match grid.spacing {
                    Spacing::Uniform => top * f64::from(k) / f64::from(grid.levels),
                    Spacing::Exponential => top / grid.ratio.powi((grid.levels - k).cast_signed()),
                })
                .map(|bits| BitRate::from_bps(bits.round() as u64))
                .collect(),
        };
        levels.sort_unstable();
        levels
    }

    /// Checks that a link of rate `link` can have these rates.
    pub(super) fn check(&self, link: BitRate, at: &At<'_>) -> Result<(), ConfigError> {
        if let Rates::List(list) = self
            && let Some(i) = list.iter().position(|rate| *rate > link)
        {
            return Err(at.index(i).error(
                format!("{} is above the link's rate of {link}", list[i]),
                "leave it out, or raise the link's `rate`",
            ));
        }
        let levels = self.levels(link);
        if levels[0].as_bps() == 0 || levels.windows(2).any(|w| w[0] == w[1]) {
            return Err(at.error(
                format!("the grid has no {} different rates up to {link}", levels.len()),
                "give fewer levels",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(text: &str) -> Vec<f64> {
        let v: Value = json::from_str(text).unwrap();
        let rates = Rates::from_value(&v, &At::root("rates")).unwrap();
        assert_eq!(Rates::from_value(&rates.to_value(), &At::root("")).unwrap(), rates);
        rates.levels(BitRate::from_bps(10_000_000)).iter().map(|r| r.as_bps() as f64 / 1e6).collect()
    }

    #[test]
    fn grids_end_at_the_rate_of_the_link() {
        assert_eq!(levels("{}"), [1., 2., 3., 4., 5., 6., 7., 8., 9., 10.]);
        assert_eq!(levels(r#"{"levels": 5, "spacing": "exponential"}"#), [0.625, 1.25, 2.5, 5., 10.]);
        assert_eq!(levels(r#"["10Mbit/s", "2.5Mbit/s"]"#), [2.5, 10.]);
        assert_eq!(levels(r#"{"levels": 1}"#), [10.]);
    }

    #[test]
    fn reference_pages_list_the_parameters_of_a_grid() {
        let names: Vec<&str> = Rates::nested().iter().map(|field| field.name).collect();
        assert_eq!(names, Grid::names());
    }

    #[test]
    fn rates_that_the_link_does_not_have_are_refused() {
        let refused = |text: &str, link: u64| {
            let v: Value = json::from_str(text).unwrap();
            let at = At::root("rates");
            let rates = Rates::from_value(&v, &at);
            rates.and_then(|r| r.check(BitRate::from_bps(link), &at)).unwrap_err().to_string()
        };
        assert_eq!(
            refused(r#"["1Mbit/s", "11Mbit/s"]"#, 10_000_000),
            "rates[1]: 11Mbit/s is above the link's rate of 10Mbit/s; leave it out, or raise the link's `rate`"
        );
        assert_eq!(
            refused(r#"{"levels": 200}"#, 100),
            "rates: the grid has no 200 different rates up to 100bit/s; give fewer levels"
        );
        // Half a bit a second is rounded to the other rate.
        assert_eq!(
            refused(r#"{"levels": 2}"#, 1),
            "rates: the grid has no 2 different rates up to 1bit/s; give fewer levels"
        );
        assert_eq!(refused("[]", 1), "rates: 0 rates; list 1 to 256");
        assert_eq!(
            refused(r#"["1Mbit/s", "1Mbit/s"]"#, 1),
            "rates[1]: 1Mbit/s stands there twice; list it once"
        );
    }
}
