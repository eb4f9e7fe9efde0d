// What is recognized in replies of an assistant without a model, for rubrics, for scenarios, and for scenarios from real conversations.

/** Languages that texts are recognized in. Scenario files of users have the codes: they are added, not removed. */
export const languages = ['en', 'es', 'de', 'fr', 'it', 'pt', 'nl', 'pl'] as const
type Language = (typeof languages)[number]

/** Frequent words that tell languages apart. */
const words: Readonly<Record<Language, string>> = {
  en: 'the and you is are to of for we can how what your have with help not will this from i my it at',
  es: 'el la los las que de y en es por para con su usted puedo cómo qué está gracias hola una le no hoy día',
  de: 'der die das und ist sie wir für mit ich nicht ein eine zu den auf wie kann ihnen bitte danke von haben uhr',
  fr: 'le la les et est vous nous pour avec je ne pas un une des du que qui comment puis merci bonjour votre à',
  it: 'il la che di e è per con non un una sono come posso grazie ciao suo le gli del della siamo oggi',
  pt: 'o os que de e é para com não um uma você como posso obrigado olá seu dos das em por está hoje',
  nl: 'de het en is een van u wij voor met ik niet dat hoe kan uw te zijn op bedankt hallo aan om',
  pl: 'i w na nie jest się że z do czy jak pan pani dla proszę dziękuję mogę jestem od o dzień',
}

/** Returns the language whose frequent words a text has most; undefined if it has none, or two have equally many. */
export function detectLanguage(text: string): Language | undefined {
  const used = text.toLowerCase().split(/[^\p{L}]+/u)
  const scores = Object.entries(words)
    .map(([language, known]) => {
      const set = new Set(known.split(' '))
      return [language as Language, used.filter((it) => set.has(it)).length] as const
    })
    .sort(([, a], [, b]) => b - a)
  const [first, second] = scores
  return first && first[1] > 0 && first[1] > (second?.[1] ?? 0) ? first[0] : undefined
}

/**
 * What a reply may say, by the name of its expectation: how it is recognized, and its name in sentences. A person is
 * recognized in the languages above. Scenarios and rubrics of users have the names, which are not renamed; results have
 * `what` in their sentences.
 */
export const replyFacts = [
  [
    'says_price',
    {
      pattern:
        /[€£$]\s?\d|\d(?:[\d.,]*\d)?\s?(?:[€£$]|(?:EUR|USD|GBP|CHF|PLN|euros?|dollars?|pounds?|francs?|złotych|zł)(?![\p{L}]))/iu,
      what: 'a price',
    },
  ],
  [
    'offers_human',
    {
      pattern:
        /(?<!\p{L})(?:human|(?:a|real) person|colleagues?|representative|team ?member|(?:put|transfer|connect) you|call you back|someone (?:from|will)|Mitarbeiter(?:in|innen|n)?|Kolleg(?:e|en|in)|verbinde Sie|rufen Sie zurück|persona|compañer[oa]|conseiller|collègue|collega|operatore|colega|atendente|medewerker|collega's|konsultant(?:em)?|pracownik(?:iem)?)(?!\p{L})/iu,
      what: 'a person',
    },
  ],
] as const
