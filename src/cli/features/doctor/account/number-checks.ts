import type { LinkedItem } from '../../../../contract/references/resource-links.ts'
import { itemWith } from '../../../program/dependencies/item-index.ts'
import { describeTime } from '../../../program/output/time.ts'
import type { Finding } from '../finding.ts'
import { type AccountScope, displayNumber, isActiveCampaign, resourceFinding } from './account-scope.ts'

/**
 * Reports numbers that cannot do what an assistant, campaign or step needs, and inbound assistants that cannot be
 * called.
 */
export async function numberFindings({ account }: AccountScope): Promise<Finding[]> {
  const [assistants, numbers, trunks, campaigns] = await Promise.all([
    account.list('assistants'),
    account.list('numbers'),
    account.list('sipTrunks'),
    account.list('campaigns'),
  ])
  if (!account.isComplete('numbers')) return []
  const numberOf = (id: unknown): LinkedItem | undefined => itemWith(numbers, 'id', id)
  const answered = new Set(assistants.filter(({ type }) => type === 'inbound').map((it) => it.phone_number_id))
  const free = numbers.find((it) => it.type !== 'caller_id' && !answered.has(it.id) && (it.ends_at ?? null) === null)
  return [
    ...assistants.flatMap((assistant) =>
      assistant.status === 'inactive'
        ? inactiveAssistantFindings(assistant, numberOf(assistant.phone_number_id))
        : [
            ...assistantNumberFindings(assistant, numberOf(assistant.phone_number_id), free),
            ...trunkFindings(assistant, numberOf(assistant.phone_number_id), trunks, account.isComplete('sipTrunks')),
          ],
    ),
    ...campaigns.flatMap((it) => campaignNumberFindings(it, numberOf, assistants)),
  ]
}

const assignNumberCommand = (assistant: LinkedItem, free: LinkedItem | undefined): string =>
  free ? `parley assistants update ${assistant.id} --phone-number-id ${free.id}` : 'parley numbers buy'

/** Reports an inactive assistant with a number, because the number is paid for. */
const inactiveAssistantFindings = (assistant: LinkedItem, number: LinkedItem | undefined): Finding[] =>
  number
    ? [
        resourceFinding(
          'warning',
          'inactive_assistant',
          ['assistants', assistant],
          `is inactive and has ${displayNumber(number)}.`,
          `parley assistants activate ${assistant.id}`,
        ),
      ]
    : []

function assistantNumberFindings(
  assistant: LinkedItem,
  number: LinkedItem | undefined,
  free: LinkedItem | undefined,
): Finding[] {
  const [self, isInbound] = [['assistants', assistant] as const, assistant.type === 'inbound']
  if (isInbound && (assistant.phone_number_id ?? null) === null)
    return [
      resourceFinding(
        'warning',
        'inbound_number',
        self,
        'is inbound and has no number, so it cannot receive calls.',
        assignNumberCommand(assistant, free),
      ),
    ]
  if (!number) return []
  if (isInbound && number.type === 'caller_id')
    return [
      resourceFinding(
        'failed',
        'inbound_number',
        self,
        `answers ${displayNumber(number)}, a caller ID, which cannot receive calls.`,
        assignNumberCommand(assistant, free),
      ),
    ]
  return typeof number.ends_at === 'string'
    ? [
        resourceFinding(
          'warning',
          'number_ending',
          self,
          `uses ${displayNumber(number)}, which is released on ${describeTime(number.ends_at)}.`,
          assignNumberCommand(assistant, free),
        ),
      ]
    : []
}

function trunkFindings(
  assistant: LinkedItem,
  number: LinkedItem | undefined,
  trunks: readonly LinkedItem[],
  isWhole: boolean,
): Finding[] {
  if (number?.type !== 'sip' || !isWhole) return []
  const trunk = itemWith(trunks, 'id', number.id)
  if (!trunk)
    return [
      resourceFinding(
        'failed',
        'sip_trunk',
        ['assistants', assistant],
        `uses ${displayNumber(number)}, whose SIP trunk does not exist.`,
        'parley sip-trunks list',
      ),
    ]
  const ips = trunk.allowed_inbound_ips
  if (
    assistant.type !== 'inbound' ||
    trunk.inbound_authorization_type !== 'ip' ||
    (Array.isArray(ips) && ips.length > 0)
  )
    return []
  return [
    resourceFinding(
      'failed',
      'sip_trunk',
      ['sipTrunks', trunk],
      `authorizes calls by IP address but allows no address, so "${assistant.name}" receives no calls.`,
      `parley sip-trunks update ${trunk.id} --inbound-authorization-type auth`,
    ),
  ]
}

function campaignNumberFindings(
  campaign: LinkedItem,
  numberOf: (id: unknown) => LinkedItem | undefined,
  assistants: readonly LinkedItem[],
): Finding[] {
  if (campaign.status === 'completed') return []
  const status = isActiveCampaign(campaign) ? 'failed' : 'warning'
  const self = ['campaigns', campaign] as const
  const sms = ['sms_from_phone_number_id', 'fallback_sms_from_phone_number_id'].flatMap((field): Finding[] => {
    const number = numberOf(campaign[field])
    return number?.sms_capable === false
      ? [
          resourceFinding(
            status,
            'sms_number',
            self,
            `sends SMS from ${displayNumber(number)}, which cannot send SMS.`,
            'parley numbers list --json --fields id,phone_number,sms_capable',
          ),
        ]
      : []
  })
  const own = Array.isArray(campaign.phone_number_ids) ? campaign.phone_number_ids : []
  const assistant = itemWith(assistants, 'id', campaign.assistant_id)
  const lacks =
    isActiveCampaign(campaign) &&
    campaign.channel === 'call' &&
    own.length === 0 &&
    assistant !== undefined &&
    (assistant.phone_number_id ?? null) === null
  const ending = own.flatMap((id): Finding[] => {
    const number = numberOf(id)
    return typeof number?.ends_at === 'string'
      ? [
          resourceFinding(
            'warning',
            'number_ending',
            self,
            `calls from ${displayNumber(number)}, which is released on ${describeTime(number.ends_at)}.`,
            `parley refs numbers ${id}`,
          ),
        ]
      : []
  })
  return [
    ...sms,
    ...ending,
    ...(lacks
      ? [
          resourceFinding(
            'warning',
            'campaign_number',
            self,
            `has no number to call from, and its assistant "${assistant.name}" has none either.`,
            `parley campaigns get ${campaign.id}`,
          ),
        ]
      : []),
    ...(isActiveCampaign(campaign) && assistant?.status === 'inactive'
      ? [
          resourceFinding(
            'failed',
            'campaign_assistant',
            self,
            `calls with "${assistant.name}", which is inactive.`,
            `parley assistants activate ${assistant.id}`,
          ),
        ]
      : []),
  ]
}
