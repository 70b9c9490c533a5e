/** The accepted difference between two machines' clocks (RFC 7519 §4.1.4 allows "a small leeway"). */
export const CLOCK_TOLERANCE_SECONDS = 5
