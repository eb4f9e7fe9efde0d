import { useSignal } from '@preact/signals'
import { countries } from '../../../contract/values/countries.ts'
import { usd } from '../../../contract/values/money.ts'
import { type Answer, call } from '../data/api.ts'
import { account } from '../data/session.ts'
import { shownAt } from '../data/values.ts'
import { act, where } from '../parts/action.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Empty } from '../parts/states.tsx'

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
const addressText = ({ address_requirements: it }: Available): string => (it && it !== 'none' ? it : '')

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
  const buy = async (it: Available): Promise<void> => {
    isOpen.value = false
    const bought = await act({
      method: 'POST',
      path: '/api/user/phone-numbers/purchase',
      body: { phone_number: it.phone_number },
      label: `Buy ${it.phone_number_formatted}`,
      preview: (
        <>
          {addressText(it) && <p>This number requires an address: {addressText(it)}.</p>}
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
                  {countryOptions.map((it) => (
                    <option key={it.code} value={it.code}>
                      {it.name}
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
              {found.value?.body.data.map((it, at) => {
                const shown = found.value ? shownAt(found.value, `/data/${at}/price`) : ''
                const price = `${/^[\d.]+$/.test(shown) ? usd(it.price) : shown}/month`
                return (
                  <li key={it.phone_number}>
                    <span class="grow">{it.phone_number_formatted}</span>
                    {it.sms_capable && <span class="muted">SMS</span>}
                    {addressText(it) && <span class="muted">address: {addressText(it)}</span>}
                    <b class="number">{price}</b>
                    <button type="button" onClick={() => buy(it)} aria-label={`Buy ${it.phone_number_formatted}`}>
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
