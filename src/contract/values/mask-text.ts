/**
 * Text that a platform shows in place of a credential (section 2.10). Files of users have it, and clients of other
 * versions recognize it: with another text, they would send the mask as the credential.
 */
export const maskText = '••• hidden'
