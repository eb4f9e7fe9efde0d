/** Names of columns that hold a phone number, without separators and in lower case. */
export const phoneColumns = [
  'phone',
  'phonenumber',
  'number',
  'mobile',
  'mobilephone',
  'mobilenumber',
  'cell',
  'cellphone',
  'tel',
  'telephone',
  'phonenr',
  'msisdn',
] as const
