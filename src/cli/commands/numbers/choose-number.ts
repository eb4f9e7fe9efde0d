import type { AvailableNumber } from '../../../contract/resources/numbers.ts'
import { countries } from '../../../contract/values/countries.ts'
import type { Context } from '../../context.ts'
import { promptChoices } from '../../prompts/choices.ts'
import { offersOf, priceOf } from './quote.ts'

const names = new Intl.DisplayNames(['en'], { type: 'region' })

/** Country, digits, a search, and a table to choose from: again until something is chosen. */
export async function chooseNumber(
  context: Context,
  given: { country_code?: string; contains?: string },
): Promise<AvailableNumber> {
  const prompts = await context.prompts()
  const country_code =
    given.country_code ??
    (await prompts.select(
      'Country:',
      promptChoices(countries, (it) => `${it}  ${names.of(it)}`),
      { searchable: true },
    ))
  let contains = given.contains
  for (;;) {
    contains ??= await prompts.input('Digits it should contain (Enter for any):', {
      validate: (it) => /^\d{0,10}$/.test(it) || 'Digits only, at most 10.',
    })
    const search = { country_code, ...(contains !== '' && { contains }) }
    const offers = await context.progress.showWhile('Searching for numbers', offersOf(context, search))
    if (offers.length > 0) {
      const width = Math.max(...offers.map((it) => it.phone_number_formatted.length))
      const line = (it: AvailableNumber): string =>
        `${it.phone_number_formatted.padEnd(width)}  ${priceOf(it)}  ${it.sms_capable ? 'SMS' : 'no SMS'}${it.address_requirements === 'none' ? '' : `  address: ${it.address_requirements}`}`
      return prompts.select('Number:', promptChoices(offers, line), { searchable: true })
    }
    await context.notes.note(
      `No numbers in ${country_code}${contains ? ` contain ${contains}` : ''}. Try fewer digits.`,
    )
    contains = undefined
  }
}
