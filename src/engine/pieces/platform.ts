import * as z from '../../contract/schema/schema.ts'
import { anyText, anything, fields, flag, id, map, text, texts } from './input-fields.ts'
import { action, done, type Piece, type Trigger } from './piece.ts'
import { respond, respondToCall } from './respond.ts'
import { StepFailure } from './step-failure.ts'

const optionalId = z.preprocess((it) => (it === '' || it === null ? undefined : it), id.optional())

const recipientMeaning = 'Number of the recipient, E.164'
const variablesMeaning = 'Values of variables by name'
const senderMeaning = 'Id of the messaging sender'

const sendSms = action({
  title: 'Send an SMS',
  hasSideEffects: true,
  input: fields({
    from: id.describe('Id of the number that sends'),
    to: text.describe(recipientMeaning),
    body: text.describe('Text of the SMS'),
  }),
  run: async ({ from, to, body }, { account, key, ports }) =>
    done(await ports.sms.send({ account, key }, { from, to, body })),
})

const template = z.preprocess(
  (it) => (typeof it === 'string' && /^\d+$/.test(it.trim()) ? Number(it) : it),
  z.union([z.int().positive(), z.string().min(1)]),
)

const sendTemplate = action({
  title: 'Send a message template',
  hasSideEffects: true,
  input: fields({
    sender: id.describe(senderMeaning),
    template: template.describe('Id or name of the template'),
    to: text.describe(recipientMeaning),
    variables: texts.describe('Values of placeholders by name or number'),
  }),
  run: async (input, { account, key, ports }) => {
    const { sender, template, to, variables } = input
    return done(await ports.messaging.sendTemplate({ account, key }, { sender, template, to, variables }))
  },
})

const sendMessage = action({
  title: 'Send a message',
  hasSideEffects: true,
  input: fields({
    sender: id.describe(senderMeaning),
    to: text.describe(recipientMeaning),
    body: text.describe('Text of the message; requires an open 24-hour window'),
  }),
  run: async ({ sender, to, body }, { account, key, ports }) =>
    done(await ports.messaging.sendText({ account, key }, { sender, to, body })),
})

const makePhoneCall = action({
  title: 'Start a call',
  hasSideEffects: true,
  input: fields({
    assistant: id.describe('Id of the assistant that calls'),
    phone_number: text.describe('Number to call, E.164'),
    variables: map.describe(variablesMeaning),
  }),
  run: async ({ assistant, phone_number: phone, variables }, { account, key, ports }) =>
    done(await ports.calls.start({ account, key }, { assistant, phone, variables })),
})

const secondary = z.preprocess(
  (it) => (it === undefined || it === null || it === '' ? [] : it),
  z.array(z.looseObject({ phone_number: text, variables: map })),
)

const addLead = action({
  title: 'Add a lead to a campaign',
  hasSideEffects: true,
  input: fields({
    campaign: id.describe('Id of the campaign'),
    phone_number: text.describe('Number of the lead, E.164'),
    variables: map.describe(variablesMeaning),
    allow_dupplicate: flag.describe(
      'Whether a number that the campaign already has is added again (the platform spells the name so)',
    ),
    secondary_contacts: secondary.describe('Other contacts of the lead: objects with phone_number and variables'),
  }),
  run: async (input, { account, key, ports, testing }) => {
    const draft = {
      campaign: input.campaign,
      phone: input.phone_number,
      variables: input.variables,
      // Tests use the same sample every time.
      allowDuplicate: input.allow_dupplicate || testing,
      secondary: input.secondary_contacts.map(({ phone_number: phone, variables }) => ({ phone, variables })),
    }
    return done(await ports.leads.add({ account, key }, draft))
  },
})

const requeueLead = action({
  title: 'Requeue a lead',
  hasSideEffects: true,
  input: fields({
    lead: optionalId.describe('Id of the lead; or pass campaign and phone_number'),
    campaign: optionalId.describe('Id of the campaign, without lead'),
    phone_number: anyText.describe('Number of the lead, without lead'),
    variables: map.describe(variablesMeaning),
  }),
  run: async ({ lead, campaign, phone_number: phone, variables }, { account, key, ports }) => {
    if (lead === undefined && (campaign === undefined || phone === ''))
      throw new StepFailure('Pass lead, or campaign and phone_number.')
    return done(
      await ports.leads.requeue(
        { account, key },
        lead === undefined ? { campaign: campaign as number, phone } : { id: lead },
        variables,
      ),
    )
  },
})

const deleteLead = action({
  title: 'Delete a lead',
  hasSideEffects: true,
  input: fields({ lead: id.describe('Id of the lead') }),
  run: async ({ lead }, { account, key, ports }) => {
    await ports.leads.remove({ account, key }, lead)
    return done({ id: lead, deleted: true })
  },
})

const event = (title: string, binding: NonNullable<Trigger['binding']>): Trigger => ({
  title,
  kind: 'event',
  binding,
  // The assistant may also be named outside the definition; that is checked there.
  input: fields({ assistant: anything.describe('Id of the assistant whose events start runs') }),
})

/** Actions of the platform, and the events of assistants. */
export const platform: Piece = {
  names: ['platform', 'voice'],
  triggers: {
    phoneCallEnded: event('Phone call ended', 'post_call'),
    inboundCall: event('Inbound call', 'inbound'),
    newConversation: event('New conversation', 'conversation'),
  },
  actions: {
    sendSms,
    sendTemplate,
    sendMessage,
    makePhoneCall,
    addLead,
    requeueLead,
    deleteLead,
    respondToCall,
    return_response: respond,
  },
}
