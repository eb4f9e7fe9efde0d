let reader: ((given: string) => string | undefined) | undefined

/** The number in E.164, or undefined when it is not one. Numbers must come with their plus sign and country code. */
export async function parsePhoneNumber(given: string): Promise<string | undefined> {
  return (reader ?? (await phoneNumberReader()))(given)
}

/** The same for many numbers, without waiting for each. */
export async function phoneNumberReader(): Promise<(given: string) => string | undefined> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min')
  reader ??= (given) => {
    if (!/^\+[1-9][\d\s().-]{5,24}$/.test(given)) return undefined
    const parsed = parsePhoneNumberFromString(given)
    return parsed?.isPossible() ? parsed.number : undefined
  }
  return reader
}
