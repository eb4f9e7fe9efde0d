/** Words of a language with which contacts opt out and in, and the text that confirms an opt-out. */
interface OptOutWords {
  /** A message that consists of one of them opts out. The first one is shown in help. */
  readonly stop: readonly string[]
  /** A message that consists of one of them opts in again. */
  readonly start: readonly string[]
  readonly confirmation: string
}

/**
 * The words of each language (ISO 639-1). Case, accents, spaces and punctuation of a message do not matter. Words with which
 * customers answer questions, such as "cancel" or "no", are not among them. A reply with one of them blocks the contact, or
 * removes the block, without a person: contacts rely on each word, so words are added, not removed.
 */
export const optOutWords = {
  en: {
    stop: ['stop', 'stop all', 'unsubscribe', 'opt out', 'stop messages', 'remove me'],
    start: ['start', 'unstop', 'unblock', 'subscribe', 'opt in'],
    confirmation: 'You have opted out and will get no more messages. Reply START to get messages again.',
  },
  de: {
    stop: ['stopp', 'abmelden', 'abbestellen', 'austragen'],
    start: ['anmelden', 'starten'],
    confirmation:
      'Sie haben sich abgemeldet und erhalten keine Nachrichten mehr. Antworten Sie START, um wieder Nachrichten zu erhalten.',
  },
  es: {
    stop: ['baja', 'alto', 'parar', 'darme de baja', 'cancelar suscripción'],
    start: ['alta', 'iniciar', 'darme de alta'],
    confirmation: 'Se ha dado de baja y no recibirá más mensajes. Responda START para volver a recibir mensajes.',
  },
  fr: {
    stop: ['arrêt', 'arrêter', 'désabonner', 'désinscription', 'me désabonner'],
    start: ['reprendre', 'réabonner', 'me réabonner'],
    confirmation: 'Vous êtes désinscrit et ne recevrez plus de messages. Répondez START pour en recevoir de nouveau.',
  },
  it: {
    stop: ['ferma', 'fermare', 'disiscrivi', 'cancellami', 'basta messaggi'],
    start: ['riprendi', 'iscrivi'],
    confirmation: 'Lei ha annullato la ricezione e non riceverà altri messaggi. Risponda START per riceverne di nuovo.',
  },
  pt: {
    stop: ['pare', 'parar', 'sair', 'descadastrar', 'cancelar inscrição'],
    start: ['voltar', 'iniciar', 'inscrever'],
    confirmation: 'Você cancelou a inscrição e não receberá mais mensagens. Responda START para receber novamente.',
  },
  nl: {
    stop: ['afmelden', 'uitschrijven', 'stoppen'],
    start: ['aanmelden', 'inschrijven'],
    confirmation: 'U bent afgemeld en ontvangt geen berichten meer. Antwoord START om weer berichten te ontvangen.',
  },
  pl: {
    stop: ['wypisz', 'rezygnuję', 'zatrzymaj'],
    start: ['zapisz', 'wznów'],
    confirmation: 'Wypisano Cię i nie otrzymasz więcej wiadomości. Odpowiedz START, aby znów je otrzymywać.',
  },
  tr: {
    stop: ['ret', 'dur', 'abonelikten çık'],
    start: ['başla', 'abone ol'],
    confirmation: 'Aboneliğiniz sonlandırıldı, artık mesaj almayacaksınız. Yeniden almak için START yazın.',
  },
  ru: {
    stop: ['стоп', 'отписаться', 'отписка'],
    start: ['старт', 'подписаться'],
    confirmation: 'Вы отписались и больше не будете получать сообщения. Чтобы получать их снова, ответьте START.',
  },
  ar: {
    stop: ['توقف', 'إيقاف', 'إلغاء الاشتراك'],
    start: ['ابدأ', 'اشتراك'],
    confirmation: 'تم إلغاء اشتراكك ولن تصلك رسائل أخرى. أرسل START لتلقي الرسائل مجددا.',
  },
  hi: {
    stop: ['रोकें', 'बंद करें', 'रुकें'],
    start: ['शुरू', 'शुरू करें'],
    confirmation: 'आपने संदेश बंद कर दिए हैं और अब आपको कोई संदेश नहीं मिलेगा। फिर से पाने के लिए START लिखें।',
  },
  zh: {
    stop: ['停止', '退订', '退訂'],
    start: ['开始', '開始', '订阅'],
    confirmation: '您已退订，不会再收到消息。回复 START 可重新接收。',
  },
  ja: {
    stop: ['停止', '配信停止', 'ストップ'],
    start: ['再開', '配信再開', 'スタート'],
    confirmation: '配信を停止しました。今後メッセージは届きません。再開するには START と返信してください。',
  },
} as const satisfies Readonly<Record<string, OptOutWords>>

/** A language with opt-out words. */
export type OptOutLanguage = keyof typeof optOutWords

/** The languages with opt-out words. Rows of the settings of accounts have them. */
export const optOutLanguages = Object.keys(optOutWords) as [OptOutLanguage, ...OptOutLanguage[]]

/** Returns a text for comparison: without case, accents, spaces, punctuation and symbols. */
export const normalizeReply = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
    .replaceAll('ı', 'i')

/** What of the words an account changes. */
export interface OptOutSettings {
  /** Languages whose words count beside the English ones. */
  readonly languages: readonly OptOutLanguage[]
  /** Further words. */
  readonly stop_words: readonly string[]
  readonly start_words: readonly string[]
  /** Text of the confirmation in place of that of the language; null for that one. */
  readonly confirmation: string | null
}

/** The settings of an account that has changed none. */
export const defaultOptOutSettings: OptOutSettings = {
  languages: optOutLanguages,
  stop_words: [],
  start_words: [],
  confirmation: null,
}

/** Returns the languages whose words count: always English, because people everywhere reply STOP. */
export const countedLanguages = ({ languages }: Pick<OptOutSettings, 'languages'>): readonly OptOutLanguage[] => [
  ...new Set<OptOutLanguage>([...languages, 'en']),
]

/** Returns a word of an account that would opt out as well as in; undefined if there is none. */
export function findContradictoryWord(settings: OptOutSettings): string | undefined {
  const known = countedLanguages(settings).map((it) => optOutWords[it])
  const stop = [...known.flatMap((it): readonly string[] => it.stop), ...settings.stop_words]
  const start = [...known.flatMap((it): readonly string[] => it.start), ...settings.start_words]
  const normalized = new Set(start.map(normalizeReply))
  return stop.find((it) => normalized.has(normalizeReply(it)))
}

/** What a reply of a contact means: `suspected` is a longer message with a word to opt out, for a person to read. */
export type ReplyMeaning =
  | { readonly kind: 'stop'; readonly word: string; readonly confirmation: string }
  | { readonly kind: 'start'; readonly word: string }
  | { readonly kind: 'suspected'; readonly word: string }

/** Maximum length of a message that is searched for words to opt out. */
const maxSearchedLength = 2000

/** Returns what a message means for opt-outs; undefined for any other message. */
export function readOptOutReply(text: string, settings: OptOutSettings): ReplyMeaning | undefined {
  const searched = text.slice(0, maxSearchedLength)
  const whole = text.length > maxSearchedLength ? '' : normalizeReply(searched)
  const isWhole = (words: readonly string[]): string | undefined => words.find((it) => normalizeReply(it) === whole)
  const known = countedLanguages(settings).map((it) => optOutWords[it])
  const { confirmation: ofFirst } = optOutWords[settings.languages[0] ?? 'en']
  const chosen = settings.languages.map((it) => optOutWords[it])
  const further = [...optOutWords.en.stop, ...settings.stop_words]
  for (const { stop, confirmation } of [...chosen, { stop: further, confirmation: ofFirst }]) {
    const word = whole === '' ? undefined : isWhole(stop)
    if (word !== undefined) return { kind: 'stop', word, confirmation: settings.confirmation ?? confirmation }
  }
  const start = whole === '' ? undefined : isWhole([...known.flatMap((it) => it.start), ...settings.start_words])
  if (start !== undefined) return { kind: 'start', word: start }
  const tokens = searched.split(/[^\p{L}\p{M}\p{N}]+/u).map(normalizeReply)
  const sentence = ` ${tokens.filter((it) => it !== '').join(' ')} `
  const said = [...known.flatMap((it) => it.stop), ...settings.stop_words].find((word) =>
    sentence.includes(` ${word.split(/\s+/).map(normalizeReply).join(' ')} `),
  )
  return said === undefined ? undefined : { kind: 'suspected', word: said }
}
