import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { messaging } from '../../../contract/resources/messaging.ts'
import { numbers } from '../../../contract/resources/numbers.ts'
import { publicVocabulary } from '../../../contract/vocabulary/public-vocabulary.ts'
import type { Settings } from '../configuration/settings.ts'
import type { Context } from '../context.ts'

/** Name of a built-in vocabulary. */
type VocabularyName = 'neutral' | 'public'

/**
 * A detected vocabulary and its evidence: a clause such as `it answers /api/user/messaging/senders`. `login` saves the vocabulary in
 * the profile, and `doctor` compares it with that of the profile.
 */
export interface DetectedVocabulary {
  readonly vocabulary: VocabularyName
  readonly evidence: string
}

const pathOf = (dialect: VocabularyName): string =>
  messaging.senders.path
    .split('/')
    .map((it) => (dialect === 'public' ? (publicVocabulary.paths[it] ?? it) : it))
    .join('/')

/**
 * Detects the vocabulary of a deployment by the path of its senders, otherwise by the field names of prices. Only
 * reads. Undefined if neither is conclusive.
 */
export async function detectVocabulary(context: Context, settings: Settings): Promise<DetectedVocabulary | undefined> {
  const { vocabulary: _, ...plain } = settings.profile
  const neutral: Settings = { ...settings, profile: plain }
  const found = await hasSenders(context, neutral)
  if (found) return { vocabulary: 'neutral', evidence: `it answers ${pathOf('neutral')}` }
  if (found === false && (await hasSenders(context, { ...neutral, profile: { ...plain, vocabulary: 'public' } })))
    return { vocabulary: 'public', evidence: `it answers ${pathOf('public')} and not ${pathOf('neutral')}` }
  return detectFromPrices(context, neutral)
}

/** Returns whether the senders exist under the path of a vocabulary; undefined if the response is inconclusive. */
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
