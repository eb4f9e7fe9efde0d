/** Characters of the GSM alphabet. Characters of its extension count twice. */
const gsmBasic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const gsmExtended = new Set('^{}\\[~]|€\f')

/**
 * Returns the number of segments of an SMS. One segment has 160 characters in the GSM alphabet or 70 in Unicode;
 * several have 153 or 67 each. The platform charges by it, and commands compute the price that they show and the budget with it.
 */
export function countSegments(text: string): number {
  const isGsm = [...text].every((it) => gsmBasic.has(it) || gsmExtended.has(it))
  const units = isGsm ? [...text].reduce((sum, it) => sum + (gsmExtended.has(it) ? 2 : 1), 0) : text.length
  const [singleLimit, multipartLimit] = isGsm ? [160, 153] : [70, 67]
  return units <= singleLimit ? 1 : Math.ceil(units / multipartLimit)
}
