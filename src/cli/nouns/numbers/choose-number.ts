import type { AvailableNumber } from '../../../contract/resources/numbers.ts'
import { countries } from '../../../contract/values/countries.ts'
import type { Context } from '../../program/context.ts'
import { isWithinCap, offersOf, overpriced, priceOf, pricesOf } from '../../program/operations/number-price.ts'
import { promptChoices } from '../../program/prompts/choices.ts'

const names = new Intl.DisplayNames(['en'], { type: 'region' })

/**
 * Prompts for country and digits, searches, and lets the user choose a number; repeats until there is a match. Numbers
 * above the cap are not offered. @throws ClientFailure exit 5 if all are above it
 */
export async function chooseNumber(
  context: Context,
  given: { country_code?: string; contains?: string },
  cap: number | undefined,
): Promise<AvailableNumber> {
  const prompts = await context.prompts()
  const country_code =
    given.country_code ??
    (await prompts.select(
      'Which country?',
      promptChoices(countries, (it) => `${it}  ${names.of(it)}`),
      { searchable: true },
    ))
  let contains = given.contains
  for (;;) {
    contains ??= await prompts.input('Filter by digits (optional):', {
      validate: (it) => /^\d{0,10}$/.test(it) || 'Enter digits only, at most 10.',
    })
    const search = { country_code, ...(contains !== '' && { contains }) }
    const found = await context.progress.showWhile('Searching for numbers', offersOf(context, search))
    if (found.length > 0) {
      const offers = found.filter((it) => isWithinCap(it, cap))
      const others = found.filter((it) => !offers.includes(it))
      if (offers.length === 0) throw overpriced(others, cap)
      if (others.length > 0)
        await context.notes.note(
          `Not shown: ${others.length} of ${found.length} numbers, which cost more than --max-price ${cap}: ${pricesOf(others)}.`,
        )
      await context.notes.note(
        `A search returns only some of the numbers for sale, here ${found.length}. To see others, pass other digits with --contains.`,
      )
      const width = Math.max(...offers.map((it) => it.phone_number_formatted.length))
      const line = (number: AvailableNumber): string =>
        `${number.phone_number_formatted.padEnd(width)}  ${priceOf(number)}  ${number.sms_capable ? 'SMS' : 'no SMS'}${number.address_requirements === 'none' ? '' : `  address: ${number.address_requirements}`}`
      return prompts.select('Which number?', promptChoices(offers, line), { searchable: true })
    }
    await context.notes.note(
      `No numbers in ${country_code}${contains ? ` contain ${contains}` : ''}. Try fewer digits.`,
    )
    contains = undefined
  }
}
