import type { Country } from '../../../contract/values/countries.ts'
import type { InventoryNumber } from '../../../engine/ports.ts'

/**
 * Area codes by state: the best known first, the largest states first. Not every code of a state is included, only
 * enough that each state can be searched for.
 */
const statesByAreaCode = invert({
  CA: '415 213 310 619 408 510 916 650 714 818',
  NY: '212 718 917 646 516 585 716',
  TX: '512 214 713 210 817 832',
  FL: '305 407 813 904 954',
  IL: '312 773 217 630',
  MA: '617 508 978',
  WA: '206 253 509',
  GA: '404 770 912',
  AK: '907',
  AL: '205 256',
  AR: '501 479',
  AZ: '602 480 520',
  CO: '303 720 970',
  CT: '203 860',
  DC: '202',
  DE: '302',
  HI: '808',
  IA: '515 319',
  ID: '208',
  IN: '317 219 574',
  KS: '316 913',
  KY: '502 859',
  LA: '504 225',
  MD: '410 301',
  ME: '207',
  MI: '313 248 616',
  MN: '612 651 218',
  MO: '314 816',
  MS: '601 228',
  MT: '406',
  NC: '704 919 336',
  ND: '701',
  NE: '402',
  NH: '603',
  NJ: '201 973 609',
  NM: '505',
  NV: '702 775',
  OH: '216 614 513',
  OK: '405 918',
  OR: '503 541',
  PA: '215 412 610',
  RI: '401',
  SC: '803 843',
  SD: '605',
  TN: '615 901 423',
  UT: '801 435',
  VA: '703 757 804',
  VT: '802',
  WI: '414 608 920',
  WV: '304',
  WY: '307',
})

/** Area codes by province and territory. */
const provincesByAreaCode = invert({
  ON: '416 647 437 905 289 613 519 705',
  QC: '514 438 418 450 819',
  BC: '604 778 250 236',
  AB: '403 780 587',
  MB: '204',
  NB: '506',
  NL: '709',
  NS: '902',
  SK: '306 639',
  YT: '867',
})

/**
 * Returns pairs of area code and region. It takes one code of every region in turn, so that a list of numbers starts
 * with many regions.
 */
function invert(codes: Readonly<Record<string, string>>): readonly (readonly [code: string, region: string])[] {
  const rows = Object.entries(codes).map(([region, list]) => ({ region, codes: list.split(' ') }))
  const maxCodes = Math.max(...rows.map((row) => row.codes.length))
  return Array.from({ length: maxCodes }, (_, rank) =>
    rows.flatMap(({ region, codes }) => (codes[rank] ? [[codes[rank], region] as const] : [])),
  ).flat()
}

/** Numbers of one kind and region. */
export interface NumberSeries {
  /**
   * The national number in international format. Digits are literal, `N` is 2 to 9, `Z` 1 to 9, `X` any digit.
   * The spaces define the display format.
   */
  readonly pattern: string
  /** Two-letter or named region; null if the prefix has none, as for mobile numbers. */
  readonly region: string | null
  readonly addressRequirements: InventoryNumber['addressRequirements']
  /** Which numbers can send messages; `most` means seven in eight. */
  readonly sms: 'all' | 'most' | 'none'
}

/** The numbering plan of a country. */
interface NumberPlan {
  readonly callingCode: string
  readonly series: readonly NumberSeries[]
}

type Requirements = NumberSeries['addressRequirements']

/**
 * Returns the series of the North American plan. The region depends only on the area code, and most numbers of every
 * kind can send messages.
 */
const northAmerican = (areas: readonly (readonly [code: string, region: string])[]): NumberSeries[] =>
  areas.map(([code, region]) => ({ pattern: `${code} NNX XXXX`, region, addressRequirements: 'none', sms: 'most' }))

/** Returns the series of landline patterns by region. */
const landline = (
  addressRequirements: Requirements,
  places: Readonly<Record<string, readonly string[]>>,
): NumberSeries[] =>
  Object.entries(places).flatMap(([region, patterns]) =>
    patterns.map((pattern) => ({ pattern, region, addressRequirements, sms: 'none' as const })),
  )

const mobile = (addressRequirements: Requirements, patterns: readonly string[]): NumberSeries[] =>
  patterns.map((pattern) => ({ pattern, region: null, addressRequirements, sms: 'all' }))

/**
 * Numbering plans with real prefixes and lengths, so that every generated number is one its country could assign. The
 * numbers for sale follow from it: a change gives each seed other numbers (number-inventory.ts).
 */
export const numberPlans: Readonly<Record<Country, NumberPlan>> = {
  US: { callingCode: '1', series: northAmerican(statesByAreaCode) },
  CA: { callingCode: '1', series: northAmerican(provincesByAreaCode) },
  GB: {
    callingCode: '44',
    series: [
      ...landline('local', {
        London: ['20 7NXX XXXX', '20 8NXX XXXX', '20 3NXX XXXX'],
        Manchester: ['161 2XX XXXX'],
        Birmingham: ['121 4XX XXXX'],
        Glasgow: ['141 2XX XXXX'],
        Edinburgh: ['131 2XX XXXX'],
        Leeds: ['113 2XX XXXX'],
        Liverpool: ['151 2XX XXXX'],
        Newcastle: ['191 2XX XXXX'],
        Cardiff: ['29 20XX XXXX'],
        Belfast: ['28 90XX XXXX'],
        Cambridge: ['1223 3XXXXX'],
        Oxford: ['1865 2XXXXX'],
      }),
      ...mobile('none', ['7401 XXXXXX', '7520 XXXXXX', '7712 XXXXXX', '7850 XXXXXX', '7940 XXXXXX']),
    ],
  },
  AU: {
    callingCode: '61',
    series: [
      ...landline('local', {
        Sydney: ['2 9NXX XXXX', '2 8NXX XXXX'],
        Melbourne: ['3 9NXX XXXX', '3 8NXX XXXX'],
        Brisbane: ['7 3NXX XXXX'],
        Perth: ['8 92XX XXXX', '8 94XX XXXX'],
        Adelaide: ['8 82XX XXXX'],
        Canberra: ['2 62XX XXXX'],
        Hobart: ['3 62XX XXXX'],
        Darwin: ['8 89XX XXXX'],
      }),
      ...mobile('foreign', ['400 XXX XXX', '412 XXX XXX', '421 XXX XXX', '438 XXX XXX']),
    ],
  },
  IL: {
    callingCode: '972',
    series: [
      ...landline('local', {
        Jerusalem: ['2 5XX XXXX', '2 6XX XXXX'],
        'Tel Aviv': ['3 5XX XXXX', '3 6XX XXXX'],
        Haifa: ['4 8XX XXXX'],
        Beersheba: ['8 6XX XXXX'],
        Ashdod: ['8 8XX XXXX'],
        Netanya: ['9 8XX XXXX'],
      }),
      ...mobile('none', ['50 NXX XXXX', '52 NXX XXXX', '53 NXX XXXX', '54 NXX XXXX', '58 4XX XXXX']),
    ],
  },
  PL: {
    callingCode: '48',
    series: [
      ...landline('local', {
        Warsaw: ['22 NXX XX XX'],
        Kraków: ['12 NXX XX XX'],
        Wrocław: ['71 NXX XX XX'],
        Poznań: ['61 NXX XX XX'],
        Gdańsk: ['58 NXX XX XX'],
        Łódź: ['42 NXX XX XX'],
        Katowice: ['32 NXX XX XX'],
        Lublin: ['81 NXX XX XX'],
        Szczecin: ['91 NXX XX XX'],
        Białystok: ['85 NXX XX XX'],
      }),
      ...mobile('inventory', ['501 XXX XXX', '601 XXX XXX', '660 XXX XXX', '790 XXX XXX', '881 XXX XXX']),
    ],
  },
  FI: {
    callingCode: '358',
    series: [
      ...landline('local', {
        Helsinki: ['9 2XXXXXX', '9 4XXXXXX'],
        Tampere: ['3 2XXXXXX', '3 3XXXXXX'],
        Turku: ['2 2XXXXXX'],
        Oulu: ['8 3XXXXXX', '8 5XXXXXX'],
        Vaasa: ['6 3XXXXXX'],
        Kuopio: ['17 2XXXXXX'],
      }),
      ...mobile('foreign', ['40 XXXXXXX', '44 XXXXXXX', '45 XXXXXXX', '46 XXXXXXX', '50 XXXXXXX']),
    ],
  },
  NL: {
    callingCode: '31',
    series: [
      ...landline('local', {
        Amsterdam: ['20 NXX XXXX'],
        Rotterdam: ['10 NXX XXXX'],
        'The Hague': ['70 NXX XXXX'],
        Utrecht: ['30 NXX XXXX'],
        Eindhoven: ['40 NXX XXXX'],
        Groningen: ['50 NXX XXXX'],
        Arnhem: ['26 NXX XXXX'],
        Breda: ['76 NXX XXXX'],
        Gouda: ['182 NXX XXX'],
      }),
      ...mobile('inventory', ['6 1XXXXXXX', '6 2XXXXXXX', '6 4XXXXXXX', '6 5XXXXXXX']),
    ],
  },
  DK: {
    callingCode: '45',
    series: [
      ...landline('local', {
        Copenhagen: ['33 ZX XX XX', '32 ZX XX XX'],
        Aarhus: ['86 ZX XX XX', '87 ZX XX XX'],
        Odense: ['66 1X XX XX'],
        Aalborg: ['98 ZX XX XX'],
        Roskilde: ['46 3X XX XX'],
        Esbjerg: ['75 ZX XX XX'],
      }),
      ...mobile('foreign', ['20 ZX XX XX', '28 ZX XX XX', '30 ZX XX XX', '40 ZX XX XX', '51 ZX XX XX', '60 ZX XX XX']),
    ],
  },
  IT: {
    callingCode: '39',
    series: [
      ...landline('local', {
        Rome: ['06 4XXX XXXX', '06 8XXX XXXX'],
        Milan: ['02 4XXX XXXX', '02 8XXX XXXX'],
        Turin: ['011 5XX XXXX'],
        Naples: ['081 5XX XXXX'],
        Florence: ['055 2XX XXXX'],
        Bologna: ['051 2XX XXXX'],
        Genoa: ['010 5XX XXXX'],
        Bari: ['080 5XX XXXX'],
        Palermo: ['091 6XX XXXX'],
        Venice: ['041 5XX XXXX'],
      }),
      ...mobile('inventory', [
        '320 NXX XXXX',
        '328 NXX XXXX',
        '335 NXX XXXX',
        '340 NXX XXXX',
        '347 NXX XXXX',
        '349 NXX XXXX',
        '366 NXX XXXX',
      ]),
    ],
  },
}
