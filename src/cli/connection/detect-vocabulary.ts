import { ClientFailure } from '../../client/failures/client-failure.ts'
import { messaging } from '../../contract/resources/messaging.ts'
import { numbers } from '../../contract/resources/numbers.ts'
import { publicVocabulary } from '../../contract/vocabulary/public-vocabulary.ts'
import type { Settings } from '../configuration/settings.ts'
import type { Context } from '../context.ts'

/** How a deployment spells things. */
export type VocabularyName = 'neutral' | 'public'

/** A vocabulary that was found out, and by what: a clause such as `it answers /api/user/messaging/senders`. */
export interface DetectedVocabulary {
  readonly vocabulary: VocabularyName
  readonly evidence: string
}

const pathOf = (dialect: VocabularyName): string =>
  messaging.senders.path
    .split('/')
    .map((it) => (dialect === 'public' ? (publicVocabulary.paths[it] ?? it) : it))
    .join('/')

/** Finds out how a deployment spells things: from where its senders are, else from what it calls a price. Reads only; undefined when neither tells. */
export async function detectVocabulary(context: Context, settings: Settings): Promise<DetectedVocabulary | undefined> {
  const { vocabulary: _, ...plain } = settings.profile
  const neutral: Settings = { ...settings, profile: plain }
  const found = await hasSenders(context, neutral)
  if (found) return { vocabulary: 'neutral', evidence: `it answers ${pathOf('neutral')}` }
  if (found === false && (await hasSenders(context, { ...neutral, profile: { ...plain, vocabulary: 'public' } })))
    return { vocabulary: 'public', evidence: `it answers ${pathOf('public')} and not ${pathOf('neutral')}` }
  return detectFromPrices(context, neutral)
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

async function detectFromPrices(context: Context, settings: Settings): Promise<DetectedVocabulary | undefined> {
  const connected = await context.connectTo(settings)
  try {
    const { data } = await connected.call(numbers.search, {})
    const [first = {}] = data as readonly object[]
    const [ours, theirs] = ['payment_price_id', publicVocabulary.keys.payment_price_id as string]
    if (Object.hasOwn(first, ours))
      return { vocabulary: 'neutral', evidence: `numbers for sale have the field ${ours}` }
    return Object.hasOwn(first, theirs)
      ? { vocabulary: 'public', evidence: `numbers for sale have the field ${theirs}` }
      : undefined
  } catch {
    return undefined
  } finally {
    await connected.close()
  }
}
