//! The series that a run may sample over time, declared once: what each is of, its unit and its meaning.

use crate::Time;
use crate::results::SampleRow;
use crate::table::{Label, Labels};

crate::labels! {
    /// What a series is of.
    pub enum Subject {
        /// A flow, by its number.
        Flow = "flow",
        /// A link, by its row in the table of links.
        Link = "link",
    }
}

macro_rules! series {
    ($( $(#[doc = $doc:literal])+ $member:ident = $name:literal of $subject:ident in $unit:literal; )+) => {
        crate::labels! {
            /// What is sampled over time.
            pub enum Series { $( $(#[doc = $doc])+ $member = $name ),+ }
        }

        impl Series {
            /// What it is of.
            pub const fn subject(self) -> Subject {
                match self { $( Series::$member => Subject::$subject ),+ }
            }

            /// The unit of its values.
            pub const fn unit(self) -> &'static str {
                match self { $( Series::$member => $unit ),+ }
            }
        }
    };
}
series! {
    /// Congestion window.
    Window = "cwnd" of Flow in "B";
    /// Smoothed RTT.
    Rtt = "rtt" of Flow in "s";
    /// Throughput at the receiver: data that arrives, in order or not, each byte once.
    Received = "received" of Flow in "bit/s";
    /// Goodput: data that is there in order; where a hole is filled, all that waited behind it counts at once.
    Goodput = "goodput" of Flow in "bit/s";
    /// One-way delay: the mean over the data packets that arrived in the period.
    Delay = "delay" of Flow in "s";
    /// Longest one-way delay in the period.
    LongestDelay = "delay_max" of Flow in "s";
    /// Data that waits to be read.
    Unread = "unread" of Flow in "B";
    /// Queue.
    Queue = "queue" of Link in "packets";
    /// Throughput.
    Throughput = "throughput" of Link in "bit/s";
    /// Drops in the period.
    Drops = "drops" of Link in "packets";
    /// Capacity: the mean rate at which a link whose rate changes with time could send in the period.
    Capacity = "capacity" of Link in "bit/s";
    /// Rate of the port under power control.
    Rate = "rate" of Link in "bit/s";
    /// Predicted arrival rate: that by which the power policy decides.
    Predicted = "predicted" of Link in "bit/s";
    /// Offered rate: what an RCP router offers to each flow.
    Offered = "offered" of Link in "bit/s";
}

/// The labels of series in the dictionary of a run.
#[derive(Clone, Copy, Debug)]
pub struct SeriesLabels {
    subjects: [Label; Subject::ALL.len()],
    series: [Label; Series::ALL.len()],
}

impl SeriesLabels {
    /// Enters the labels.
    pub fn new(labels: &mut Labels) -> SeriesLabels {
        SeriesLabels {
            subjects: Subject::ALL.map(|subject| labels.code(subject.name())),
            series: Series::ALL.map(|series| labels.code(series.name())),
        }
    }

    /// The row of one value: of the flow or the link `id` at `time`.
    pub fn row(&self, series: Series, id: u32, time: Time, value: f64) -> SampleRow {
        SampleRow {
            time: time.as_secs_f64(),
            subject: self.subjects[series.subject() as usize],
            id,
            metric: self.series[series as usize],
            value,
        }
    }
}
