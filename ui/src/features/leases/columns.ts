/** Height of a line in rem, as in the styles. */
export const ROW_REM = 3.25

/** Project, state with its fence, holder, heartbeat, progress. */
export const COLUMNS = 'minmax(7rem,1.2fr) 7rem minmax(7.5rem,1.1fr) minmax(9.5rem,1.2fr) minmax(6.5rem,1fr)'
