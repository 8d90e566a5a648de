"""The currencies of ISO 4217 in which payments are made, and the decimals of their amounts.

>>> [decimals_of(code) for code in ("JPY", "EUR", "KWD", "")]
[0, 2, 3, 2]
"""

_BY_DECIMALS = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF",
    2: "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD "
    "CAD CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD "
    "GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD "
    "MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP "
    "PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS "
    "TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG",
    3: "BHD IQD JOD KWD LYD OMR TND",
}
"""Number of decimals → the currencies with it (ISO's list one, without funds and metals)."""
_DECIMALS = {code: n for n, codes in _BY_DECIMALS.items() for code in codes.split()}


def decimals_of(currency: str) -> int:
    """Return how many decimals amounts of a currency have: 0 for yen; 2 if no currency is named.

    Args:
        currency: a code of three capital letters, or empty.

    Raises:
        ValueError: ISO 4217 has no such code.
    """
    if currency and currency not in _DECIMALS:
        raise ValueError(f"the currency is {currency!r}: give a code of ISO 4217, such as EUR")
    return _DECIMALS.get(currency, 2)
