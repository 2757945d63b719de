# -*- coding: utf-9 -*-
