/**
 * The outbox: it keeps the mails of `send_emails`, which never leave the machine. Each call writes one
 * mail per student with an address, and the new statuses, in the transaction of its request.
 */
import type { Database } from './database.ts';

export type OutboxMail = {
  id: number;
  /** The number of its call of send_emails, from 1. */
  call: number;
  exam_id: number;
  student_session_id: number;
  email: string;
  name: string | null;
  subject: string;
  sent_at: string;
};

/** `nameKey` is the field with a student's name, which the specification does not show. */
type Mailing = { examId: number; subject: string; sentAt: string; nameKey: string };

/** Mails every student of the exam with an address; counts the students with and without one. */
export function sendMails(database: Database, mailing: Mailing): { sent: number; skipped: number } {
  const { changes: sent } = database
    .sql(`
      INSERT INTO outbox (call, exam_id, student_session_id, email, name, subject, sent_at)
      SELECT (SELECT coalesce(max(call), 0) + 1 FROM outbox), exam_id, id, email, extra ->> :nameKey, :subject, :sentAt
      FROM student_sessions WHERE exam_id = :examId AND email IS NOT NULL ORDER BY id`)
    .run(mailing);
  database
    .sql(`UPDATE student_sessions SET status = 'mail_sent' WHERE exam_id = ? AND email IS NOT NULL AND status = 'registered'`)
    .run(mailing.examId);
  const students = Number(database.sql('SELECT count(*) AS total FROM student_sessions WHERE exam_id = ?').get(mailing.examId)?.total);
  return { sent: Number(sent), skipped: students - Number(sent) };
}

/** The mails in the order of sending: all of them, or those of one exam. */
export function listMails(database: Database, examId?: string): OutboxMail[] {
  const [filter, parameters] = examId === undefined ? ['', []] : ['WHERE exam_id = ?', [examId]];
  return database.sql(`SELECT * FROM outbox ${filter} ORDER BY id`).all(...parameters) as OutboxMail[];
}
