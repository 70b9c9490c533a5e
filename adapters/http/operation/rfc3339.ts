/** A time as in the event log: RFC 3339, UTC, milliseconds. */
export const rfc3339 = (seconds: number): string => new Date(seconds * 1000).toISOString()
