import type { Country } from '../../contract/values/countries.ts'
import type { MicroUsd } from '../ports/provider.ts'

/** A price with its id at the payment processor. */
export interface Price {
  /** Price per month. */
  readonly amount: MicroUsd
  readonly priceId: string
}

const monthly = (country: string, amount: MicroUsd): Price => ({ amount, priceId: `price_local_${country}_monthly` })

/** Monthly prices of numbers by country. */
export const numberPrices: Readonly<Record<Country, Price>> = {
  US: monthly('us', 1_150_000),
  CA: monthly('ca', 1_150_000),
  GB: monthly('gb', 1_300_000),
  AU: monthly('au', 3_000_000),
  IL: monthly('il', 4_250_000),
  PL: monthly('pl', 2_500_000),
  FI: monthly('fi', 3_500_000),
  NL: monthly('nl', 3_750_000),
  DK: monthly('dk', 4_000_000),
  IT: monthly('it', 2_000_000),
}
