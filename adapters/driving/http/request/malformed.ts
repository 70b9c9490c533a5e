/** The request breaks a rule of HTTP, or of this service for what requests look like. */
export type MalformedRequest = Readonly<{ _tag: 'MalformedRequest'; message: string }>

export const malformed = (message: string): MalformedRequest => ({ _tag: 'MalformedRequest', message })
