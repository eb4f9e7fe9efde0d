import type { Country } from '../../contract/values/countries.ts'
import type { InventoryNumber } from '../ports/telephony.ts'
import { provincesByAreaCode, statesByAreaCode } from './area-codes.ts'

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
export interface NumberPlan {
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

/** Numbering plans with real prefixes and lengths, so that every generated number is one its country could assign. */
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
