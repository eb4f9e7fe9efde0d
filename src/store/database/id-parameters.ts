/** Databases limit the number of parameters. For more ids than this, a query reads the rows of all ids instead. */
export const maxIdParameters = 500
