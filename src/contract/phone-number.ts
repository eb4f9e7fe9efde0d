/** The number in E.164, or undefined when it is not one. Numbers must come with their plus sign and country code. */
export async function parsePhoneNumber(given: string): Promise<string | undefined> {
  if (!/^\+[1-9][\d\s().-]{5,24}$/.test(given)) return undefined
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min')
  const parsed = parsePhoneNumberFromString(given)
  return parsed?.isPossible() ? parsed.number : undefined
}
