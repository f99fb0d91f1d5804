/** The client of PostgreSQL, a part of the program that only a team's state loads. */
export { Client } from 'pg';
