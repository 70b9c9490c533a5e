/** The request violates HTTP, or the syntax that an operation requires. */
export type MalformedRequest = Readonly<{ _tag: 'MalformedRequest'; message: string }>

export const malformed = (message: string): MalformedRequest => ({ _tag: 'MalformedRequest', message })
