"""What the stand-in panel is calibrated to: published figures, nothing computed from confidential data.

Gross employment, job creation and net creation are read off the plots of Tran, Reimherr and Slavković (2023,
their application: the curves they call raw); sample sizes from their table of industries; entry and exit from
the Business Dynamics Statistics, the rest from other published U.S. business statistics.
"""

from __future__ import annotations

FIRST_YEAR = 1976
LAST_YEAR = 2000
YEARS = tuple(range(FIRST_YEAR, LAST_YEAR + 1))

LBD_INDUSTRIES = {
    178: "Water Well Drilling",
    239: "Miscellaneous Fabricated Textile Products",
    542: "Meat and Fish Markets",
    829: "Schools and Educational Services, NEC",
}

# Establishments ever seen, 1976-2000.
SAMPLE_SIZES = {178: 10_975, 239: 27_396, 542: 39_670, 829: 45_709}

# Employees on March 12, all establishments of the industry, 1976-2000.
# fmt: off
GROSS_EMPLOYMENT: dict[int, tuple[int, ...]] = {
    178: (
        13250, 14990, 17190, 17230, 16130, 16850, 15490, 13480, 14730, 14800, 14260, 14650, 15680,
        16570, 17120, 15930, 16040, 15500, 16040, 16590, 16930, 17250, 17160, 17980, 18940,
    ),
    239: (
        183940, 189650, 207230, 205760, 193900, 175440, 171340, 168700, 184380, 182760, 178960, 178080, 183200,
        201370, 204440, 194630, 192140, 192720, 195360, 200780, 192430, 199170, 189060, 188330, 194040,
    ),
    542: (
        53940, 54680, 54860, 56240, 55140, 56510, 57250, 57340, 56880, 54310, 53490, 51740, 49720,
        50460, 50370, 47890, 45960, 45500, 44950, 47710, 47340, 47060, 52480, 50550, 51420,
    ),
    829: (
        45350, 48030, 55920, 59150, 59860, 51130, 49860, 48310, 49580, 55770, 63380, 63660, 69150,
        75490, 86060, 87610, 93100, 100420, 106620, 111130, 119580, 124650, 139150, 151550, 170700,
    ),
}

# Percent of the mean employment of both years, establishments present in both years only, the four
# industries pooled, 1977-2000.
JOB_CREATION = (
    24.86, 29.79, 25.07, 25.69, 23.48, 24.3, 22.46, 27.6, 25.26, 25.63, 25.95, 25.53,
    29.28, 27.12, 21.58, 24.91, 24.46, 24.38, 26.01, 22.81, 25.55, 25.18, 26.59, 26.88,
)
NET_CREATION = (
    7.26, 12.16, 6.18, 1.38, -4.03, 2.64, 2.72, 10.5, 4.01, 5.75, 3.94, 4.95,
    9.86, 5.84, -0.9, 3.8, 5.19, 5.9, 7.1, 3.51, 6.0, 5.56, 5.75, 8.65,
)
# fmt: on

# Shares of establishments with at most 4 and with 5 to 9 employees, 1994, of the sector each industry belongs
# to (construction, manufacturing, retail, services). We take it that those without
# employees in March count as at most 4.
SIZE_SHARES = {178: (0.652, 0.175), 239: (0.353, 0.169), 542: (0.458, 0.236), 829: (0.596, 0.192)}

ZERO_SHARE = 0.104  # establishments with payroll but nobody employed on March 12, all sectors, 1995
ENTRY_RATE = 0.128  # of establishments a year, all sectors, mean 1978-2000
EXIT_RATE = 0.102

# Employment of establishments that stay positive, one year to the next: what a first model of the four
# industries that matched the curves above gave.
GROWTH_SD = 0.53
GROWTH_EXCESS_KURTOSIS = 2.0
GROWTH_UNCHANGED = 0.30
LAG_CORRELATION = 0.91
MULTI_UNIT_SHARE = 0.188  # at least
