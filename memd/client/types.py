"""The types that parameters and replies are of: those which the verbs of the daemon are declared with."""

from memd.protocol.fields import *
from memd.protocol.keeping import *
from memd.protocol.memories import *
from memd.protocol.recall import *
from memd.protocol.roles import *
from memd.protocol.sessions import *
from memd.protocol.statistics import *
from memd.protocol.status import *
from memd.protocol.views import *
from memd.protocol.work import *
