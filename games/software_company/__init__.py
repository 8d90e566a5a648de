"""Software company: six roles build a program, and a bounty is theirs once its checks pass."""

from shapley_coop.games.software_company.foresight import CompanyForesight
from shapley_coop.games.software_company.game import SoftwareCompany

GAME = SoftwareCompany
FORESIGHT = CompanyForesight
