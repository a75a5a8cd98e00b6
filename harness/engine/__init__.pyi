from harness.engine.conversation import Conversation as Conversation
from harness.engine.meter import GeometricMean as GeometricMean
from harness.engine.processes import outcome_of as outcome_of
from harness.engine.supervisor import Supervisor as Supervisor
