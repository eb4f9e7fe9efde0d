import * as z from '../../contract/schema/schema.ts'
import { addresses, anyText, choice, fields, optionalText } from './input-fields.ts'
import { action, done, type Piece } from './piece.ts'
import { StepFailure } from './step-failure.ts'

const input = fields({
  receiver: addresses,
  to: addresses,
  cc: addresses,
  bcc: addresses,
  subject: anyText,
  body: anyText,
  body_type: choice(['plain_text', 'html'], 'plain_text'),
  // The Gmail piece has a list of addresses, the other pieces one text.
  reply_to: z.preprocess(
    (it) => (Array.isArray(it) ? it.filter((one) => typeof one === 'string' && one.trim() !== '').join(', ') : it),
    optionalText,
  ),
  sender_name: optionalText,
})

const sendEmail = action({
  title: 'Send an email',
  input,
  hasSideEffects: true,
  connection: 'mail',
  run: async (it, { account, key, ports }) => {
    const to = [...it.receiver, ...it.to]
    if (to.length === 0) throw new StepFailure('receiver is required.')
    // A line break would start another header.
    const line = (text: string): string => text.replace(/[\r\n]+/g, ' ')
    const { id } = await ports.mail.send(
      { account, key },
      {
        to,
        cc: it.cc,
        bcc: it.bcc,
        subject: line(it.subject),
        [it.body_type === 'html' ? 'html' : 'text']: it.body,
        replyTo: it.reply_to === undefined ? undefined : line(it.reply_to),
        senderName: it.sender_name === undefined ? undefined : line(it.sender_name),
      },
    )
    return done({ id, to, subject: it.subject })
  },
})

export const mail: Piece = {
  names: ['mail', 'gmail', 'smtp'],
  triggers: {},
  // The name of the action differs between the pieces.
  actions: { send_email: sendEmail, 'send-email': sendEmail },
}
