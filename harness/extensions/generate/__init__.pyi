from harness.extensions.generate.grids import random_grid as random_grid
from harness.extensions.generate.options import Clues as Clues
from harness.extensions.generate.options import Constraints as Constraints
from harness.extensions.generate.options import GenerationRequest as GenerationRequest
from harness.extensions.generate.options import Model as Model
from harness.extensions.generate.request import Generated as Generated
from harness.extensions.generate.request import generate as generate
