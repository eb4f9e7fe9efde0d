import { useSignal } from '@preact/signals'
import { countries } from '../../../contract/values/countries.ts'
import { usd } from '../../../contract/values/money.ts'
import { type Answer, call } from '../data/api.ts'
import { account } from '../data/session.ts'
import { shownAt } from '../data/values.ts'
import { act, where } from '../parts/action.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Empty } from '../parts/states.tsx'

/** Copy of the fields of `numbers.search` (contract/resources/numbers.ts) that the page shows. */
interface Available {
  readonly phone_number: string
  readonly phone_number_formatted: string
  readonly price: number
  readonly sms_capable: boolean
  /** `none`, or which address the provider requires. */
  readonly address_requirements?: string
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' })
const countryOptions = countries.map((code) => ({ code, name: `${countryNames.of(code) ?? code} (${code})` }))

/** Returns which address a number requires; empty if it requires none. */
const addressText = ({ address_requirements: requirements }: Available): string =>
  requirements && requirements !== 'none' ? requirements : ''

/** Searches for numbers and buys one after showing its price. */
export function BuyNumber() {
  const isOpen = useSignal(false)
  const country = useSignal<string>('US')
  const contains = useSignal('')
  const found = useSignal<Answer<{ data: readonly Available[] }> | null>(null)
  const failure = useSignal('')
  const search = async (): Promise<void> => {
    failure.value = ''
    try {
      const query = new URLSearchParams({ country_code: country.value })
      if (contains.value.trim()) query.set('contains', contains.value.trim())
      found.value = await call({ path: `/api/user/phone-numbers/search?${query}`, account: account.value })
    } catch (error) {
      found.value = null
      failure.value = (error as Error).message
    }
  }
  // A cancelled question returns to the list.
  const buy = async (number: Available): Promise<void> => {
    isOpen.value = false
    const bought = await act({
      method: 'POST',
      path: '/api/user/phone-numbers/purchase',
      body: { phone_number: number.phone_number },
      label: `Buy ${number.phone_number_formatted}`,
      preview: (
        <>
          {addressText(number) && <p>This number requires an address: {addressText(number)}.</p>}
          <p>The first month is charged now and is not refunded. The number renews every month until released.</p>
        </>
      ),
    })
    if (!bought) isOpen.value = true
  }
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isOpen.value = true
          search()
        }}
      >
        Buy a number…
      </button>
      {isOpen.value && (
        <Dialog
          title={`${where()} Buy a number`}
          wide
          onClose={() => {
            isOpen.value = false
          }}
        >
          <div>
            <form
              class="inline-form"
              onSubmit={(event) => {
                event.preventDefault()
                search()
              }}
            >
              <label class="field inline">
                <span>Country</span>
                <select
                  value={country.value}
                  onChange={(event) => {
                    country.value = event.currentTarget.value
                    search()
                  }}
                >
                  {countryOptions.map((country) => (
                    <option key={country.code} value={country.code}>
                      {country.name}
                    </option>
                  ))}
                </select>
              </label>
              <label class="field inline">
                <span>Digits</span>
                <input
                  size={8}
                  inputMode="numeric"
                  value={contains.value}
                  onInput={(event) => {
                    contains.value = event.currentTarget.value
                  }}
                />
              </label>
              <button type="submit">Search</button>
            </form>
            {failure.value && (
              <p class="notice bad" role="alert">
                {failure.value}
              </p>
            )}
            {found.value?.body.data.length === 0 && (
              <Empty title="No numbers match">Search for fewer digits, or choose another country.</Empty>
            )}
            <ul class="rows">
              {found.value?.body.data.map((number, at) => {
                const shown = found.value ? shownAt(found.value, `/data/${at}/price`) : ''
                const price = `${/^[\d.]+$/.test(shown) ? usd(number.price) : shown}/month`
                return (
                  <li key={number.phone_number}>
                    <span class="grow">{number.phone_number_formatted}</span>
                    {number.sms_capable && <span class="muted">SMS</span>}
                    {addressText(number) && <span class="muted">address: {addressText(number)}</span>}
                    <b class="number">{price}</b>
                    <button
                      type="button"
                      onClick={() => buy(number)}
                      aria-label={`Buy ${number.phone_number_formatted}`}
                    >
                      Buy…
                    </button>
                  </li>
                )
              })}
            </ul>
          </div>
        </Dialog>
      )}
    </>
  )
}
