"""What every step costs and how exact it is: the report, the pages' tables, the site."""
