import { fromMillionths } from '../../../contract/values/millionths.ts'
import { usd } from '../../../contract/values/money.ts'
import type { PlatformQuery } from '../../store/database/connection.ts'
import {
  findCampaignNames,
  findConversationUuids,
  findPhoneNumbers,
  findRenewals,
} from '../../store/runtime/activity.ts'

/** A scheduled or completed job: its kind and the id of its resource. */
type Job = Readonly<Record<'kind' | 'subject', string>>

/**
 * What jobs of each kind do. `#` is replaced with the resource. The kinds are those of the constants `…JobKind`, whose files are not loaded for
 * this: a test compares them. The page of the clock has the nouns of some (jobNouns of clock-page.tsx).
 */
const texts: Readonly<Record<string, string>> = {
  subscription: 'renewal of #',
  release: 'release of #',
  trunk: 'removal of SIP trunk #',
  'senders.sync': 'regular check of senders',
  'templates.sync': 'regular check of templates',
  'conversation.silence': 'end of conversation # after silence',
  'conversation.answer': 'reply in conversation #',
  'conversation.read': 'extraction from conversation #',
  'campaign.turn': 'next leads of campaign #',
  'campaign.fallback': 'fallback message to lead #',
  'campaign.hours': 'changed hours of campaign #',
  'campaign.removal': 'deletion of campaign #',
  'automation.schedule': 'scheduled run of automation #',
  'automation.poll': 'poll of automation #',
  'automation.run': 'run #',
  'waiting-contact': 'start of message, SMS or call # that waits for the contact hours',
  purge: 'deletion of old events, deliveries and runs of account #',
}

/**
 * Says what jobs do, in words: `renewal of +14155550142, 1.15 USD`. A renewal is described by its number and price,
 * a release by its number, a conversation by the UUID that lists show, another job by the id of its resource. A job of
 * another kind is named by its kind.
 *
 * @returns one text for each job, in the same order
 */
export async function describeJobs(query: PlatformQuery, jobs: readonly Job[]): Promise<readonly string[]> {
  const ids = (kind: RegExp): number[] => jobs.flatMap((it) => (kind.test(it.kind) ? [Number(it.subject)] : []))
  const renewals = await findRenewals(query, ids(/^subscription$/))
  const numbers = await findPhoneNumbers(query, ids(/^release$/))
  const conversations = await findConversationUuids(query, ids(/^conversation\./))
  const campaigns = await findCampaignNames(query, ids(/^campaign\.turn$/))
  return jobs.map(({ kind, subject }) => {
    const renewal = kind === 'subscription' ? renewals.get(Number(subject)) : undefined
    const released = kind === 'release' ? (numbers.get(Number(subject)) ?? `number ${subject}`) : undefined
    const conversation = kind.startsWith('conversation.') ? conversations.get(Number(subject)) : undefined
    const campaign = kind === 'campaign.turn' ? campaigns.get(Number(subject)) : undefined
    const named = campaign === undefined ? (released ?? conversation) : `"${campaign}" (${subject})`
    const resource = renewal ? `${renewal.phone_number}, ${usd(fromMillionths(renewal.price))}` : (named ?? subject)
    return (texts[kind] ?? `${kind.replaceAll('.', ' ')} #`).replace('#', () => resource)
  })
}
