"""What times a text speaks of: rules for English and Chinese, arithmetic of the calendar."""

from memd.text.times.calendar import Interval
from memd.text.times.reading import Mention, read_times

__all__ = ["Interval", "Mention", "read_times"]
