"""The types of parameters and replies. Made from the declarations by `make docs`: change those, not this."""

from memd.client.types.keeping import *
from memd.client.types.memories import *
from memd.client.types.recall import *
from memd.client.types.roles import *
from memd.client.types.runs import *
from memd.client.types.sessions import *
from memd.client.types.skills import *
from memd.client.types.statistics import *
from memd.client.types.status import *
from memd.client.types.views import *
