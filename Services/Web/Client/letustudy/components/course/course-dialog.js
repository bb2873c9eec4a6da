// @ts-check
import { openDialog } from "../../../shared/components/dialog.js";
import { form } from "../../../shared/components/form.js";
import { t } from "./strings.js";

/** @import { Course } from "../../../../Types/api.d.ts" */

/**
 * Asks what a course is called and about.
 * @param {{ title: string, submit: string, course?: Course,
 *   onsubmit: (values: any, attempt: { key: string }) => Promise<unknown> }} options
 */
export const courseDialog = ({ title, submit, course, onsubmit }) =>
  openDialog({
    title,
    build: (close) =>
      form({
        fields: [
          { name: "title", label: t("title"), value: course?.title, required: true, props: { maxlength: 120 } },
          { name: "term", label: t("term"), value: course?.term, props: { maxlength: 120 } },
          {
            name: "description",
            label: t("description"),
            kind: "textarea",
            value: course?.description,
            props: { maxlength: 5000 },
          },
        ],
        submit,
        oncancel: () => close(),
        onsubmit: async (values, attempt) => {
          await onsubmit(values, attempt);
          close();
        },
      }),
  });
