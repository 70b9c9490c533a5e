/** The icon of the page, as SVG. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><title>Portcullis</title><rect width="16" height="16" rx="3" fill="#1d4f91"/><path d="M4 13V6a4 4 0 0 1 8 0v7M4 7h8M4 10h8M6.7 3v10M9.3 3v10" fill="none" stroke="#fff" stroke-width="1.2"/></svg>'
