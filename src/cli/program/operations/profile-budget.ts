import type { BudgetCheck } from '../../../client/journal/open-operations.ts'
import {
  type BudgetUse,
  createBudgetCheck,
  type ProfileBudget,
  readBudgetUse,
} from '../../../client/journal/profile-budget.ts'
import { budgetWindow } from '../../../contract/values/calendar-periods.ts'
import { toMillionths } from '../../../contract/values/millionths.ts'
import { usd } from '../../../contract/values/money.ts'
import { readConfiguration } from '../configuration/profiles.ts'
import type { Settings } from '../configuration/settings.ts'
import { currentKeyMark, isSameAccount } from '../connection/account-cache.ts'
import { platformAt } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import type { System } from '../system.ts'

/** What of the settings says whose budget it is. */
type BudgetSettings = Pick<Settings, 'profile' | 'profileName' | 'profileUsed' | 'baseUrl' | 'key'>

/** Returns the budget of the profile in use; undefined if it has none. */
function profileBudget(
  system: System,
  { profile, profileUsed, baseUrl }: Omit<BudgetSettings, 'key'>,
): ProfileBudget | undefined {
  const { budget } = profile
  return (
    budget && {
      amount: toMillionths(budget.amount),
      period: budget.period,
      profile: profileUsed,
      isSameAccount: (a, b) => isSameAccount(system, baseUrl.value, a, b),
    }
  )
}

/** Returns the comparison of an operation with the budget of the profile, for the journal in a file. */
export function profileBudgetCheck(system: System, settings: BudgetSettings, file: string): BudgetCheck | undefined {
  const budget = profileBudget(system, settings)
  return budget && createBudgetCheck(file, budget)
}

/** Returns what was spent of the budget of a profile in this period, and what is left; null without a budget. */
export async function readProfileBudget(
  { system, journal }: Pick<Context, 'system' | 'journal'>,
  settings: BudgetSettings,
): Promise<BudgetUse | null> {
  const budget = profileBudget(system, settings)
  if (!budget) return null
  const keyMark = await currentKeyMark({ system, settings: async () => settings as Settings })
  const { profileName, baseUrl } = settings
  // The same values as in entries of the journal, which are compared with them.
  const spender = {
    profile: profileName.value,
    baseUrl: platformAt(system, baseUrl.value, baseUrl.value),
    ...(keyMark !== undefined && { keyMark }),
  }
  return readBudgetUse(await journal(), budget, spender, system.now())
}

/**
 * Returns since when operations may count against a budget, in milliseconds since 1970: the start of the UTC month, or never if
 * no profile has a budget.
 */
export const budgetSince = (system: System): number =>
  Object.values(readConfiguration(system).profiles).some(({ budget }) => budget !== undefined)
    ? budgetWindow('month', system.now()).start
    : Number.POSITIVE_INFINITY

/** Formats a budget: `38.50 USD of 50.00 USD a month left`. */
export const budgetText = ({ left, amount, period, reserved, unpriced }: BudgetUse): string =>
  `${usd(left)} of ${usd(amount)} a ${period} left${reserved === 0 ? '' : `, ${usd(reserved)} reserved for what waits for the contact hours`}${unpriced === 0 ? '' : `, without ${unpriced} of unknown price`}`
