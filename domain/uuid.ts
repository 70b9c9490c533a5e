const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Whether a text is a UUID in the form of the rows, so that a store can be asked for it. */
export const isUuid = (text: string): boolean => UUID.test(text)
