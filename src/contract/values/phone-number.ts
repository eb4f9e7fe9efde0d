type PhoneNumberParser = (given: string) => string | undefined

let cachedParser: PhoneNumberParser | undefined

/** The number in E.164, or undefined when it is not one. Numbers must come with their plus sign and country code. */
export async function parsePhoneNumber(given: string): Promise<string | undefined> {
  return (cachedParser ?? (await loadPhoneNumberParser()))(given)
}

/** The same for many numbers, without waiting for each. */
export async function loadPhoneNumberParser(): Promise<PhoneNumberParser> {
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
  return cachedParser
}

/** How the numbers below a country code are made. */
interface NumberingPlan {
  /** How many digits after the country code are possible in every country that has it. */
  readonly lengths: readonly number[]
  /** What may stand in front of them and is no part of them. */
  readonly prefix: RegExp | undefined
}

/** Metadata as it is, beyond its declared types. */
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
  const lengthsOf = (it: string): readonly number[] => {
    metadata.selectNumberingPlan(it)
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
 * A number of digits alone that its length shows to be possible. Undefined for what takes a closer look, which costs five times as much: mostly for
 * finding out which of the countries that share a code it belongs to.
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
