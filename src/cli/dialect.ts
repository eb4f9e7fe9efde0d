import { ClientFailure } from '../client/failure.ts'
import { messaging } from '../contract/messaging.ts'
import { numbers } from '../contract/numbers.ts'
import { publicVocabulary } from '../contract/public-vocabulary.ts'
import type { Context } from './context.ts'
import type { Settings } from './settings.ts'

/** How a deployment spells things. */
export type Dialect = 'neutral' | 'public'

/** Finds out how a deployment spells things: from where its senders are, else from what it calls a price. Reads only; undefined when neither tells. */
export async function dialectOf(context: Context, settings: Settings): Promise<Dialect | undefined> {
  const { vocabulary: _, ...plain } = settings.profile
  const neutral: Settings = { ...settings, profile: plain }
  const found = await hasSenders(context, neutral)
  if (found) return 'neutral'
  if (found === false && (await hasSenders(context, { ...neutral, profile: { ...plain, vocabulary: 'public' } }))) return 'public'
  return fromPrices(context, neutral)
}

/** Whether senders are found under these words; undefined when the answer does not say. */
async function hasSenders(context: Context, settings: Settings): Promise<boolean | undefined> {
  const connected = await context.connectTo(settings)
  try {
    await connected.call(messaging.senders, { status: 'all' })
    return true
  } catch (error) {
    return error instanceof ClientFailure && error.status === 404 ? false : undefined
  } finally {
    await connected.close()
  }
}

async function fromPrices(context: Context, settings: Settings): Promise<Dialect | undefined> {
  const connected = await context.connectTo(settings)
  try {
    const { data } = await connected.call(numbers.search, {})
    const [first = {}] = data as readonly object[]
    if (Object.hasOwn(first, 'payment_price_id')) return 'neutral'
    return Object.hasOwn(first, publicVocabulary.keys.payment_price_id as string) ? 'public' : undefined
  } catch {
    return undefined
  } finally {
    await connected.close()
  }
}
