"""The weights of bodies whose power indices others have published."""

from collections.abc import Sequence
from typing import Any

EU15 = [10] * 4 + [8] + [5] * 4 + [4] * 2 + [3] * 3 + [2]
"""The votes of 15 states until 2004."""

NICE = [29] * 4 + [27] * 2 + [14, 13] + [12] * 5 + [10] * 3 + [7] * 5 + [4] * 5 + [3]
"""The votes of 27 states by the Treaty of Nice, of which 255 of 345 decide. Looked up: The Seville
Game Theory Group (J. M. Bilbao), Nice European Council, esi2.us.es/~mbilbao/niza.htm."""

PER_MILLE = [170, 123, 122, 120, 82, 80, 47, 33, 22, 21, 21, 21, 21, 18, 17, 17, 11, 11, 11, 8, 8]
PER_MILLE += [5, 4, 3, 2, 1, 1]
"""The states' populations, of which a decision also needs 620, as well as 14 states."""

PEOPLE_OF_2019 = [493559, 613894, 875898, 1324820, 1919968, 2080908, 2794184, 4076246, 4904226]
PEOPLE_OF_2019 += [5450421, 5517919, 5806081, 7000039, 8858775, 9772756, 10230185, 10276617]
PEOPLE_OF_2019 += [10649800, 10722287, 11467923, 17282163, 19401658, 37972812, 46934632, 60359546]
PEOPLE_OF_2019 += [66647112, 67028048, 83019214]
"""The populations of 28 states; by the Treaty of Lisbon 16 states with 333,763,100 people, or any
25 states, decide."""

COLLEGE_OF_1970 = [45, 41, 27, 26, 26, 25, 21, 17, 17, 14, 13, 13, 12, 12, 12, 11, *[10] * 4]
COLLEGE_OF_1970 += [*[9] * 4, 8, 8, *[7] * 4, *[6] * 4, 5, *[4] * 9, *[3] * 7]
COLLEGE_OF_1996 = [54, 33, 32, 25, 23, 22, 21, 18, 15, 14, 13, 13, 12, 12, *[11] * 4, 10, 10, 9, 9]
COLLEGE_OF_1996 += [*[8] * 6, 7, 7, 7, 6, 6, *[5] * 4, *[4] * 6, *[3] * 8]
COLLEGE_OF_2000 = [55, 34, 31, 27, 21, 21, 20, 17, 15, 15, 15, 13, 12, *[11] * 4, *[10] * 4]
COLLEGE_OF_2000 += [9, 9, 9, 8, 8, *[7] * 4, 6, 6, 6, *[5] * 5, *[4] * 5, *[3] * 8]
"""The electors of 50 states and the District of Columbia; 270 of 538 elect."""


def of(weights: Sequence[int] | Sequence[dict[str, int]], quota: Any) -> dict[str, Any]:
    return {"weights": {f"v{i}": w for i, w in enumerate(weights)}, "quota": quota}
