/** Characters of the GSM alphabet; those of its extension take two places. */
const gsmBasic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const gsmExtended = new Set('^{}\\[~]|€\f')

/** How many parts an SMS is sent in: of 160 places in the GSM alphabet and 70 in Unicode, of 153 and 67 where there are several. */
export function countSegments(text: string): number {
  const isGsm = [...text].every((it) => gsmBasic.has(it) || gsmExtended.has(it))
  const units = isGsm ? [...text].reduce((sum, it) => sum + (gsmExtended.has(it) ? 2 : 1), 0) : text.length
  const [singleLimit, multipartLimit] = isGsm ? [160, 153] : [70, 67]
  return units <= singleLimit ? 1 : Math.ceil(units / multipartLimit)
}
