type PhoneNumberParser = (given: string) => string | undefined

let cachedParser: PhoneNumberParser | undefined
let cachedCountries: readonly string[] = []

/** Returns the number in E.164, or undefined if it is invalid. Numbers must have a plus sign and a country code. */
export async function parsePhoneNumber(given: string): Promise<string | undefined> {
  return (cachedParser ?? (await loadPhoneNumberParser()))(given)
}

/** A number in strict E.164. Its text is in the OpenAPI document. */
export const e164Pattern = /^\+[1-9]\d{6,14}$/

/**
 * Returns the number if it is E.164 as requests of leads, calls and messages must have it: a plus sign and digits, no
 * spaces, dashes or parentheses. Returns undefined for other text, and for a number that cannot exist.
 */
export const parseE164 = async (given: string): Promise<string | undefined> =>
  e164Pattern.test(given) ? parsePhoneNumber(given) : undefined

/** Returns the number in E.164 if it can be parsed, otherwise the text. Data of steps has numbers in any spelling. */
export const normalizedNumber = async (given: string): Promise<string> => (await parsePhoneNumber(given)) ?? given

/** Returns the beginning of a number in E.164 for a search: with a plus sign, and only digits after it. */
export const numberPrefix = (given: string): string => `+${given.replaceAll(/\D/g, '')}`

/** Returns the countries that have phone numbers, ISO 3166-1 alpha-2. */
export async function numberingCountries(): Promise<readonly string[]> {
  await loadPhoneNumberParser()
  return cachedCountries
}

/**
 * Loads the phone number metadata and returns a synchronous parser, for callers that parse many numbers. With a country,
 * one of `numberingCountries`, the parser also reads numbers without a country code, as numbers of that country.
 */
export async function loadPhoneNumberParser(country?: string): Promise<PhoneNumberParser> {
  const { getCountries, getCountryCallingCode, Metadata, parsePhoneNumberFromString } = await import(
    'libphonenumber-js/min'
  )
  const metadata = new Metadata() as unknown as NumberingMetadata
  const plans = new Map<string, NumberingPlan | undefined>()

  function planOf(code: string): NumberingPlan | undefined {
    if (!plans.has(code))
      plans.set(
        code,
        readPlan(
          metadata,
          code,
          getCountries().filter((it) => getCountryCallingCode(it) === code),
        ),
      )
    return plans.get(code)
  }

  cachedParser ??= (given) => {
    if (!/^\+[1-9][\d\s().-]{5,24}$/.test(given)) return undefined
    const known = parsePlainDigits(given, planOf)
    if (known !== undefined) return known
    const parsed = parsePhoneNumberFromString(given)
    return parsed?.isPossible() ? parsed.number : undefined
  }
  cachedCountries = getCountries()
  const parse = cachedParser
  if (country === undefined) return parse
  return (given) => {
    const known = parse(given)
    if (known !== undefined || !/^[\d(][\d\s()./-]{3,24}$/.test(given)) return known
    const parsed = parsePhoneNumberFromString(given, country as 'US')
    return parsed?.isValid() ? parsed.number : undefined
  }
}

/** Format of the numbers below a country code. */
interface NumberingPlan {
  /** Numbers of digits after the country code that are possible in every country with this code. */
  readonly lengths: readonly number[]
  /** National prefix that may precede the number and is not part of it. */
  readonly prefix: RegExp | undefined
}

/** Members of the metadata that its type declarations omit. */
interface NumberingMetadata {
  hasCallingCode(code: string): boolean
  selectNumberingPlan(codeOrCountry: string): void
  readonly numberingPlan: {
    possibleLengths(): readonly number[] | undefined
    nationalPrefixForParsing(): string | undefined
  }
}

function readPlan(metadata: NumberingMetadata, code: string, countries: readonly string[]): NumberingPlan | undefined {
  if (!metadata.hasCallingCode(code)) return undefined
  const lengthsOf = (text: string): readonly number[] => {
    metadata.selectNumberingPlan(text)
    return metadata.numberingPlan.possibleLengths() ?? []
  }
  const all = [code, ...countries].map(lengthsOf)
  metadata.selectNumberingPlan(code)
  const prefix = metadata.numberingPlan.nationalPrefixForParsing()
  return {
    lengths: (all[0] ?? []).filter((it) => all.every((own) => own.includes(it))),
    prefix: prefix === undefined ? undefined : new RegExp(`^(?:${prefix})`),
  }
}

/**
 * Returns a number that consists of digits only and has a possible length. Returns undefined if the number needs the
 * full parser.
 * The full parser takes five times as long, mostly to find out which of the countries with the same code the number
 * belongs to.
 */
function parsePlainDigits(given: string, planOf: (code: string) => NumberingPlan | undefined): string | undefined {
  if (!/^\+\d{8,15}$/.test(given)) return undefined
  for (let length = 1; length <= 3; length++) {
    const plan = planOf(given.slice(1, 1 + length))
    if (!plan) continue
    const national = given.slice(1 + length)
    if (plan.prefix?.test(national)) return undefined
    return plan.lengths.includes(national.length) ? given : undefined
  }
  return undefined
}

/** Returns the type of a trunk, which the platform does not return. */
export const trunkTypeOf = (phoneNumber: unknown): 'number' | 'extension' =>
  /^\+?\d{7,}$/.test(String(phoneNumber)) ? 'number' : 'extension'
